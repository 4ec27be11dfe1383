#include "harness/workload.h"

#include <algorithm>

#include "harness/labels.h"
#include "spec/assert.h"
#include "spec/key_set.h"

namespace shardcheck::harness {
namespace {

constexpr std::uint32_t kCrowdedKeys = 4;  // of a range: the first ones
constexpr std::array kStepGaps{microseconds(800), microseconds(100), microseconds(300), milliseconds(2),
                               milliseconds(4),   milliseconds(9),   milliseconds(20)};

// So that several operations fall between two steps of a move.
constexpr std::array kFastGaps{microseconds(300), microseconds(100), microseconds(600)};

constexpr Duration kBurstGap = microseconds(5);
constexpr std::uint32_t kBurstPerClient = 4;

std::uint32_t width_of(KeyRange range) { return range.hi.value - range.lo.value; }

class WorkloadDrawer {
 public:
  WorkloadDrawer(sim::Choices& choices, const WorkloadShape& shape)
      : choices_(choices), shape_(shape), ranges_(shape.ranges) {
    SHARDCHECK_ASSERT(shape.clients > 0);
    SHARDCHECK_ASSERT(!shape.ranges.empty());
    SHARDCHECK_ASSERT(!shape.key_space.is_empty());
  }

  std::vector<Step> draw() {
    const std::uint64_t kind = ask(Ask::workload_kind, 8);
    is_hot_ = kind == 7;
    is_deleting_ = kind == 6;
    is_wiping_ = kind == 5;
    is_reshaping_ = kind == 4 && shape_.shards_max != 0;
    const bool is_fast = is_hot_ || is_deleting_;
    const std::uint64_t count = (4 + ask(Ask::steps, 48)) * (is_fast ? 3 : 1);
    const auto third = static_cast<std::uint32_t>(count / 3);
    moves_again_at_ = third;
    deletes_at_ = third + 1 + static_cast<std::uint32_t>(ask(Ask::step_expected, third));
    draw_burst(count);
    TrueTime at{milliseconds(4).value};
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool is_during_copy = is_wiping_ && i > moves_again_at_ && i <= deletes_at_;
      at = at + (is_in_burst(i)              ? kBurstGap
                 : is_fast || is_during_copy ? kFastGaps[ask(Ask::step_gap, kFastGaps.size(), i)]
                                             : kStepGaps[ask(Ask::step_gap, kStepGaps.size(), i)]);
      // One step in six turns to another range and asks for its move; the first one always does, since that is what
      // the suite is about.
      const std::uint64_t per_turn = is_fast ? 36 : is_reshaping_ ? 3 : 6;
      const bool is_turn =
          i == 0 || (is_wiping_ ? i == moves_again_at_ : ask(Ask::step_kind, per_turn, i) == per_turn - 1);
      if (is_turn && !(is_wiping_ && i > 0)) {
        hot_ = static_cast<std::uint16_t>(ask(Ask::move_shard, ranges_.size(), i));
      }
      if (is_turn && i > 0 && shape_.has_metadata) {
        draw_metadata_split(at, i);
      }
      steps_.push_back(is_turn && !shape_.move_targets.empty() ? draw_change(at, i) : draw_operation(at, i));
    }
    return std::move(steps_);
  }

 private:
  std::uint64_t ask(Ask kind, std::uint64_t n, std::uint32_t counter = 0) {
    return choices_.below(n, label(kind, counter));
  }
  bool supports(OperationKind kind) const { return shape_.is_supported[static_cast<std::size_t>(kind)]; }

  // A few operations of each client, all at once.
  void draw_burst(std::uint64_t count) {
    if (shape_.has_bursts && ask(Ask::burst, 8) == 7) {
      burst_begins_ = 1 + static_cast<std::uint32_t>(ask(Ask::burst, count, 1));
      burst_ends_ = burst_begins_ + kBurstPerClient * shape_.clients;
    }
  }
  bool is_in_burst(std::uint32_t i) const { return i >= burst_begins_ && i < burst_ends_; }

  // Where the range begins that is turned to, just before that is asked to change.
  void draw_metadata_split(TrueTime at, std::uint32_t i) {
    if (ask(Ask::metadata_split, 6, i) == 5 && !ranges_[hot_].is_empty()) {
      steps_.push_back({at, MetadataSplitStep{ranges_[hot_].lo}});
    }
  }

  // The plan keeps the ranges as they will be if every split and merge is done; those that are not make later ones name
  // ranges that are not there, which is asked for as well.
  Step draw_change(TrueTime at, std::uint32_t i) {
    const std::uint64_t answer = shape_.shards_max == 0 || i == 0 ? 0 : ask(Ask::reshape, 8, i);
    const KeyRange range = ranges_[hot_];
    const bool is_split = answer == 5 || answer == 6 || (is_reshaping_ && answer >= 2 && answer <= 4);
    if (is_split && width_of(range) > 1 && ranges_.size() < shape_.shards_max) {
      const auto within = static_cast<std::uint32_t>(ask(Ask::split_key, width_of(range) - 1, i));
      const Key middle{range.lo.value + 1 + (width_of(range) / 2 - 1 + within) % (width_of(range) - 1)};
      ranges_[hot_].hi = middle;
      ranges_.push_back({middle, range.hi});
      return {at, SplitStep{ShardId{hot_}, middle}};
    }
    const auto right = std::ranges::find(ranges_, range.hi, &KeyRange::lo);
    if (answer == 7 && right != ranges_.end()) {
      ranges_[hot_].hi = right->hi;
      right->lo = right->hi;  // nothing is left of it
      return {at, MergeStep{ShardId{hot_}}};
    }
    return draw_move(at, i);
  }

  Step draw_move(TrueTime at, std::uint32_t i) {
    const std::size_t targets = shape_.move_targets.size();
    const std::size_t target = (1 + hot_ + ask(Ask::move_target, targets, i)) % targets;
    MoveStep step{ShardId{hot_}, shape_.move_targets[target]};
    if (shape_.has_move_options) {
      const std::uint64_t answer = ask(Ask::move_options, 4, i);
      step.how.forwards = answer % 2 == 1;
      step.how.mode = answer >= 2 ? MoveMode::dual_write : MoveMode::copy_and_catch_up;
    }
    return {at, step};
  }

  // Three operations in four go to the range that was last asked to move: that is where things go wrong.
  Step draw_operation(TrueTime at, std::uint32_t i) {
    const auto client =
        static_cast<std::uint16_t>(is_in_burst(i) ? i % shape_.clients : ask(Ask::step_client, shape_.clients, i));
    const std::uint64_t places = is_hot_ ? 16 : 4;
    const bool is_elsewhere = ask(Ask::step_place, places, i) == places - 1;
    const bool is_anywhere = is_elsewhere || ranges_[hot_].is_empty();
    const KeyRange among = is_anywhere ? shape_.key_space : ranges_[hot_];
    const std::uint32_t width = is_anywhere ? width_of(among) : std::min(width_of(among), kCrowdedKeys);
    const auto within = static_cast<std::uint32_t>(ask(Ask::step_key, is_deleting_ || is_wiping_ ? 1 : width, i));
    ClientStep step;
    step.request = {ClientId{client}, kSequenceStep * (i + 1)};
    step.operation.key = Key{among.lo.value + within};
    if (supports(OperationKind::scan) && ask(Ask::scan, 10, i) == 9) {
      step.operation = draw_scan(step.operation.key, i);
    } else {
      draw_what(step.operation, i);
    }
    return {at, step};
  }

  // To the end of the key space, or to somewhere before: over the boundaries of ranges, where pieces meet.
  Operation draw_scan(Key lo, std::uint32_t i) {
    const std::uint32_t most = std::min(shape_.key_space.hi.value - lo.value, kScanWidthMax);
    const auto fewer = static_cast<std::uint32_t>(ask(Ask::scan_end, most, i));
    return scan_of({lo, Key{lo.value + most - fewer}});
  }

  KeyUse supported_use_of(Key key) const {
    const KeyUse use = use_of(key);
    switch (use) {
      case KeyUse::registers: return use;
      case KeyUse::list: return supports(OperationKind::append) ? use : KeyUse::registers;
      case KeyUse::counter: return supports(OperationKind::increment) ? use : KeyUse::registers;
      case KeyUse::compare_and_set: return supports(OperationKind::compare_and_set) ? use : KeyUse::registers;
    }
    return use;
  }

  // As for registers: reads below 3, then writes, from 6 on deletes.
  std::uint64_t draw_answer(std::uint32_t i) {
    constexpr std::array<std::uint64_t, 8> kDeleting{3, 6, 6, 3, 6, 3, 6, 0};
    if (is_wiping_) {
      return i < moves_again_at_ ? 3 : (i == deletes_at_ ? 6 : 0);
    }
    if (is_hot_) {
      return 3 + ask(Ask::step_operation, 5, i);
    }
    const std::uint64_t answer = ask(Ask::step_operation, 8, i);
    return is_deleting_ ? kDeleting[answer] : answer;
  }

  // Every value written is new (the number of its step), so that a read tells which write it saw.
  void draw_what(Operation& operation, std::uint32_t i) {
    const std::uint64_t answer = draw_answer(i);
    const Value fresh = number(static_cast<std::int64_t>(i) + 1);
    switch (supported_use_of(operation.key)) {
      case KeyUse::registers:
        operation.kind = answer < 3                                       ? OperationKind::read
                         : answer < 6 || !supports(OperationKind::remove) ? OperationKind::write
                                                                          : OperationKind::remove;
        operation.argument = operation.kind == OperationKind::write ? fresh : absent();
        return;
      case KeyUse::list:
        operation.kind = answer < 3 ? OperationKind::read : OperationKind::append;
        operation.argument = answer < 3 ? absent() : list_of_one(static_cast<std::uint16_t>(i + 1));
        return;
      case KeyUse::counter: operation.kind = answer < 2 ? OperationKind::read : OperationKind::increment; return;
      case KeyUse::compare_and_set: draw_compare_and_set(operation, answer, i); return;
    }
  }

  void draw_compare_and_set(Operation& operation, std::uint64_t answer, std::uint32_t i) {
    operation.kind = answer < 3   ? OperationKind::read
                     : answer < 5 ? OperationKind::write
                                  : OperationKind::compare_and_set;
    if (operation.kind == OperationKind::compare_and_set) {
      operation.expected = last_written_ == 0 ? absent() : number(last_written_);
    }
    if (operation.kind != OperationKind::read) {
      last_written_ = static_cast<std::int64_t>(i) + 1;
      operation.argument = number(last_written_);
    }
  }

  sim::Choices& choices_;
  const WorkloadShape& shape_;
  std::vector<Step> steps_;
  std::vector<KeyRange> ranges_;  // by ShardId, as planned
  std::uint16_t hot_ = 0;         // the range
  bool is_deleting_ = false;      // one key, written and deleted in turn: deletes race the copy
  bool is_reshaping_ = false;     // turns to another range more often, and splits it more often
  bool is_wiping_ = false;        // one key, written, then deleted once while the range moves again, then only read
  std::uint32_t moves_again_at_ = 0;
  std::uint32_t deletes_at_ = 0;
  bool is_hot_ = false;             // writes only, and faster than a slow replay can follow
  std::uint32_t burst_begins_ = 0;  // of no steps, usually
  std::uint32_t burst_ends_ = 0;
  std::int64_t last_written_ = 0;
};

}  // namespace

std::vector<KeyRange> in_fours(KeyRange key_space) {
  std::vector<KeyRange> pieces;
  for (std::uint32_t lo = key_space.lo.value; lo < key_space.hi.value; lo += kCrowdedKeys) {
    pieces.push_back({Key{lo}, Key{std::min(lo + kCrowdedKeys, key_space.hi.value)}});
  }
  return pieces;
}

std::vector<Step> draw_workload(sim::Choices& choices, const WorkloadShape& shape) {
  return WorkloadDrawer(choices, shape).draw();
}

}  // namespace shardcheck::harness
