#include "histories/stream_checker.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "histories/flat_map.h"
#include "histories/json_lines.h"
#include "histories/line_reader.h"
#include "histories/stream_window.h"
#include "histories/value_footprint.h"
#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

ValueId copied(const ValueTable& from, ValueId value, ValueTable& to) {
  switch (from.kind(value)) {
    case StoredKind::absent: return kAbsent;
    case StoredKind::number: return to.number(from.number_of(value));
    case StoredKind::string: return to.string(from.string_of(value));
    case StoredKind::list: {
      std::vector<ValueId> items;
      for (const ValueId item : from.list_of(value)) {
        items.push_back(copied(from, item, to));
      }
      return to.list(items);
    }
  }
  return kAbsent;
}

class Stream {
 public:
  explicit Stream(const StreamOptions& options) : options_(options) {}

  // Judges what can be, and leaves in `history` what is kept, with values of a table of its own.
  void judge(History& history, bool is_last) {
    group(history);
    kept_.clear();
    for (Key& key : keys_) {
      if (is_stopped()) {
        kept_.insert(kept_.end(), key.waiting.begin(), key.waiting.end());
      } else if (!key.waiting.empty()) {
        judge_key(history, key, is_last);
      }
    }
    std::ranges::sort(kept_);
    drop_what_is_too_much(history);
    rebuild(history);
  }

  // Nothing more is read, for want of something: a key that was not found to be violated may be so behind this.
  void leave_undecided(History& history, Shortage shortage) {
    group(history);
    for (Key& key : keys_) {
      give_up(key, shortage);
    }
  }

  // An eighth of the memory is for what is kept, one for what is read until keys are judged again: tables take up to
  // twice what they hold, and once more while they grow or are copied. Half is for judging.
  bool is_time_to_judge(const History& history) const {
    return history.operations.size() >= carried_ + std::max<std::uint64_t>(options_.window_operations, carried_) ||
           history.memory_bytes() >= carried_bytes_ + options_.memory_bytes_max / 8;
  }
  // A violation was found, and nothing else is wanted.
  bool is_stopped() const { return options_.stops_at_first_violation && is_violated_; }
  // Even the names of the keys take too much.
  bool is_out_of_memory() const { return carried_bytes_ > options_.memory_bytes_max / 4; }
  bool is_out_of_time() const { return options_.is_out_of_time && options_.is_out_of_time(); }

  StreamReport report(const ValueTable& values) {
    StreamReport report;
    report.operations_kept_max = kept_max_;
    for (Key& key : keys_) {
      key.told.key =
          values.kind(key.id) == StoredKind::string ? std::string(values.string_of(key.id)) : values.to_text(key.id);
      report.operations += key.told.operations;
      if (is_stopped() && !key.is_decided) {
        ++report.keys_not_judged;
        continue;
      }
      if (key.told.verdict == Verdict::not_linearizable) {
        report.verdict = Verdict::not_linearizable;
      } else if (key.told.verdict == Verdict::undecided && report.verdict == Verdict::linearizable) {
        report.verdict = Verdict::undecided;
      }
      report.keys.push_back(std::move(key.told));
    }
    return report;
  }

 private:
  struct Key {
    ValueId id;
    StreamedKey told{};
    bool is_decided = false;  // before the end: it is violated, or there was too little of something
    bool is_counted = false;  // some increment was asked for
    bool is_changed_otherwise = false;
    std::vector<ValueId> starts{kAbsent};
    std::vector<std::uint32_t> waiting{};  // operations, in the order of their invocations
    std::size_t cut_again_at = 0;          // so many are waiting: fewer could not be cut the last time
  };

  void group(const History& history) {
    kept_max_ = std::max<std::uint64_t>(kept_max_, history.operations.size());
    for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
      const auto next = static_cast<std::uint32_t>(keys_.size());
      const std::uint32_t number = number_of_key_.find_or_insert(history.operations[i].key.value, next);
      if (number == next) {
        keys_.push_back(Key{.id = history.operations[i].key});
      }
      const OperationKind kind = history.operations[i].kind;
      keys_[number].is_counted |= kind == OperationKind::increment;
      keys_[number].is_changed_otherwise |= kind != OperationKind::increment && kind != OperationKind::read;
      keys_[number].waiting.push_back(i);
      keys_[number].told.operations += i >= carried_ ? 1U : 0U;
    }
  }

  void judge_key(History& history, Key& key, bool is_last) {
    std::vector<std::uint32_t> waiting;
    waiting.swap(key.waiting);
    std::size_t cut = 0;
    if (!key.is_decided) {
      cut = is_last ? waiting.size() : quiet_until(history, waiting);
      const bool is_too_early = !is_last && waiting.size() < key.cut_again_at;
      cut = cut != 0 && !is_too_early && judge_until(history, key, std::span(waiting).first(cut), is_last) ? cut : 0;
      key.cut_again_at = cut == 0 && !is_too_early ? waiting.size() * 2 : key.cut_again_at;
      key.cut_again_at = cut != 0 ? 0 : key.cut_again_at;
    }
    // Whatever is decided waits only for returns.
    for (std::size_t i = cut; i < waiting.size(); ++i) {
      if (!key.is_decided || !history.operations[waiting[i]].has_returned()) {
        kept_.push_back(waiting[i]);
      }
    }
  }

  // False when it is not cut there.
  bool judge_until(History& history, Key& key, std::span<const std::uint32_t> operations, bool is_last) {
    const CheckOptions asking{.steps_max = options_.steps_max,
                              .memory_bytes_max = options_.memory_bytes_max / 2,
                              .is_out_of_time = options_.is_out_of_time};
    window_.open(history, operations, key.starts,
                 {.is_behind_cut = key.told.cuts != 0, .is_of_counter = key.is_counted && !key.is_changed_otherwise});
    if (!is_last) {
      std::optional<std::vector<ValueId>> ends = window_.ends(asking);
      if (!ends) {
        return false;
      }
      if (!ends->empty()) {
        key.starts = *std::move(ends);
        key.told.cuts += 1;
        kept_.insert(kept_.end(), window_.still_pending().begin(), window_.still_pending().end());
        return true;
      }
    }
    const StreamWindow::Answer answer = window_.judge(asking);
    if (!is_last && answer.verdict != Verdict::not_linearizable) {
      return false;
    }
    is_violated_ |= answer.verdict == Verdict::not_linearizable;
    key.told.verdict = answer.verdict;
    key.told.shortage = answer.shortage;
    key.told.unexplained_line = answer.unexplained_line;
    key.told.sentence = answer.sentence;
    key.is_decided = true;
    return true;
  }

  static void give_up(Key& key, Shortage shortage) {
    if (!key.is_decided) {
      key.is_decided = true;
      key.told.shortage = shortage;
    }
    key.starts.assign(1, kAbsent);
  }

  // What each key holds: operations that are kept, and values, each counted for one of those that hold it.
  std::vector<std::uint64_t> bytes_held(const History& history) const {
    constexpr std::uint64_t kBytesOfOperation = sizeof(RecordedOperation) + 2 * sizeof(std::uint32_t);
    std::vector<std::uint64_t> bytes;
    ValueFootprint footprint(history.values);
    for (const Key& key : keys_) {
      bytes.push_back(sizeof(Key) + footprint.count(key.id));
      for (const ValueId start : key.starts) {
        bytes.back() += sizeof(ValueId) + footprint.count(start);
      }
    }
    for (const std::uint32_t i : kept_) {
      const RecordedOperation& one = history.operations[i];
      std::uint64_t& of_key = bytes[*number_of_key_.find(one.key.value)];
      of_key += kBytesOfOperation;
      for (const ValueId value : {one.process, one.argument, one.expected, one.observed}) {
        of_key += footprint.count(value);
      }
    }
    return bytes;
  }

  // Until what can still be judged holds little enough, the keys that hold most are given up. Of these, only operations
  // without return stay.
  void drop_what_is_too_much(const History& history) {
    const std::uint64_t most = options_.memory_bytes_max / 8;
    if (history.memory_bytes() + keys_.size() * sizeof(Key) <= most) {
      return;
    }
    while (true) {
      const std::vector<std::uint64_t> bytes = bytes_held(history);
      std::uint64_t left = 0;
      std::vector<std::uint32_t> by_size;
      for (std::uint32_t number = 0; number < keys_.size(); ++number) {
        if (!keys_[number].is_decided) {
          left += bytes[number];
          by_size.push_back(number);
        }
      }
      if (left <= most) {
        return;
      }
      std::ranges::sort(by_size, std::greater(), [&](std::uint32_t number) { return bytes[number]; });
      for (std::size_t i = 0; i < by_size.size() && left > most; ++i) {
        give_up(keys_[by_size[i]], Shortage::memory);
        left -= bytes[by_size[i]];
      }
      std::erase_if(kept_, [&](std::uint32_t i) {
        const RecordedOperation& one = history.operations[i];
        return one.has_returned() && keys_[*number_of_key_.find(one.key.value)].is_decided;
      });
    }
  }

  void rebuild(History& history) {
    ValueTable values;
    std::vector<RecordedOperation> operations;
    operations.reserve(kept_.size());
    number_of_key_.clear();
    const auto moved = [&](ValueId value) { return copied(history.values, value, values); };
    for (std::uint32_t number = 0; number < keys_.size(); ++number) {
      Key& key = keys_[number];
      key.id = moved(key.id);
      std::ranges::transform(key.starts, key.starts.begin(), moved);
      number_of_key_.find_or_insert(key.id.value, number);
    }
    for (const std::uint32_t i : kept_) {
      RecordedOperation operation = history.operations[i];
      for (ValueId* const value :
           {&operation.process, &operation.key, &operation.argument, &operation.expected, &operation.observed}) {
        *value = moved(*value);
      }
      operations.push_back(operation);
    }
    history.values = std::move(values);
    history.operations = std::move(operations);
    history.nemesis.clear();
    carried_ = history.operations.size();
    carried_bytes_ = history.memory_bytes() + keys_.size() * sizeof(Key);
  }

  const StreamOptions& options_;
  FlatMap number_of_key_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> kept_;
  std::uint64_t carried_ = 0;        // operations in front, kept from the window before
  std::uint64_t carried_bytes_ = 0;  // of what is kept
  std::uint64_t kept_max_ = 0;
  bool is_violated_ = false;
  StreamWindow window_;
};

}  // namespace

Result<StreamReport> check_stream(std::unique_ptr<ByteSource> source, const std::string& name, ReadingRules rules,
                                  const StreamOptions& options) {
  SHARDCHECK_ASSERT(!rules.initial);
  ReadBudget budget{.memory_bytes_max = options.memory_bytes_max, .is_out_of_time = {}};
  LineReader lines(std::move(source), name, &budget);
  HistoryAssembler assembler(std::move(rules), nullptr);
  Stream stream(options);
  const auto goes_on = [&] {
    if (stream.is_time_to_judge(assembler.so_far())) {
      stream.judge(assembler.so_far(), false);
      assembler.forget_taken();
      budget.shortage = stream.is_out_of_time()     ? Shortage::time
                        : stream.is_out_of_memory() ? Shortage::memory
                                                    : Shortage::none;
    }
    return budget.shortage == Shortage::none && !stream.is_stopped();
  };
  const Result<void> added = add_json_lines(lines, assembler, goes_on);
  if (!added && budget.shortage == Shortage::none) {
    return std::unexpected(added.error());
  }
  const bool is_read_to_the_end = budget.shortage == Shortage::none && !stream.is_stopped();
  if (is_read_to_the_end) {
    stream.judge(assembler.so_far(), true);
  } else if (!stream.is_stopped()) {
    stream.leave_undecided(assembler.so_far(), budget.shortage);
  }
  StreamReport report = stream.report(assembler.values());
  report.stopped_at_line = is_read_to_the_end ? 0 : lines.line_number();
  report.shortage = budget.shortage;
  if (budget.shortage != Shortage::none && report.verdict == Verdict::linearizable) {
    report.verdict = Verdict::undecided;
  }
  if (report.operations == 0 && is_read_to_the_end) {
    return fail(lines.place(), "the history ends without a single operation");
  }
  return report;
}

}  // namespace shardcheck::histories
