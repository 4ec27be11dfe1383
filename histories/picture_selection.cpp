#include "histories/picture_selection.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace shardcheck::histories {
namespace {

// Contradictions that are drawn; a store that is broken on a thousand keys is not understood better by a thousand.
constexpr std::size_t kFindingsMax = 40;
// Of these the neighbourhood is shown too.
constexpr std::size_t kNeighbourhoodsMax = 10;

// The operations of a contradiction by invocation; at least the one that cannot be explained.
// What was there when the recording began has no place in a picture.
std::vector<std::uint32_t> contradiction_of(const History& history, const Explanation& explanation) {
  std::vector<std::uint32_t> operations{explanation.operation};
  std::ranges::copy_if(explanation.contradiction, std::back_inserter(operations),
                       [&](std::uint32_t index) { return !history.operations[index].is_initial(); });
  std::ranges::sort(operations);
  operations.erase(std::ranges::unique(operations).begin(), operations.end());
  return operations;
}

struct Interval {
  TrueTime begin;
  TrueTime end;
};

// Times at which something of interest was under way: disjoint, in order.
class Focus {
 public:
  Focus(const History& history, const std::vector<std::uint32_t>& operations) {
    std::vector<Interval> intervals;
    for (const std::uint32_t index : operations) {
      intervals.push_back({history.operations[index].invoked_at, end_of(history.operations[index])});
    }
    std::ranges::sort(intervals, {}, &Interval::begin);
    for (const Interval& interval : intervals) {
      if (merged_.empty() || merged_.back().end < interval.begin) {
        merged_.push_back(interval);
      } else {
        merged_.back().end = std::max(merged_.back().end, interval.end);
      }
    }
  }

  // 0 when the operation was under way at a time of the focus.
  Duration distance_of(const RecordedOperation& operation) const {
    const TrueTime end = end_of(operation);
    const auto after = std::ranges::upper_bound(merged_, end, {}, &Interval::begin);
    Duration distance{std::numeric_limits<std::int64_t>::max()};
    if (after != merged_.end()) {
      distance = after->begin - end;
    }
    if (after != merged_.begin()) {
      const TrueTime before = std::prev(after)->end;
      distance = std::min(distance, before < operation.invoked_at ? operation.invoked_at - before : Duration{0});
    }
    return distance;
  }

 private:
  std::vector<Interval> merged_;
};

class Selector {
 public:
  Selector(const History& history, const CheckReport& report, std::size_t operations_max)
      : history_(history), report_(report), room_(operations_max), is_taken_(history.operations.size()) {
    for (std::size_t i = 0; i < is_taken_.size(); ++i) {
      is_taken_[i] = history.operations[i].is_initial();
    }
  }

  PictureSelection run() {
    const std::size_t operations_max = room_;
    take_contradictions();
    const std::size_t count = std::min(selection_.findings.size(), kNeighbourhoodsMax);
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < selection_.findings.size(); ++i) {
      PictureFinding& finding = selection_.findings[i];
      const ValueId key = report_.keys[finding.verdict].key;
      const std::size_t room = i < count ? operations_max / 2 / count : 0;
      const Focus focus(history_, finding.operations);
      finding.shown_within =
          take_nearest(focus, room, Role::neighbour, [&](const RecordedOperation& o) { return o.key == key; });
      all.insert(all.end(), finding.operations.begin(), finding.operations.end());
    }
    if (!all.empty()) {
      take_nearest(Focus(history_, all), operations_max / 4, Role::context,
                   [](const RecordedOperation&) { return true; });
    }
    take_undecided();
    take_sample(std::vector<bool>(is_taken_.size(), true));
    return std::move(selection_);
  }

 private:
  void take(std::uint32_t index, Role role) {
    if (room_ != 0 && !is_taken_[index]) {
      is_taken_[index] = true;
      selection_.operations.push_back({index, role});
      --room_;
    }
  }

  void take_contradictions() {
    for (std::uint32_t i = 0; i < report_.keys.size(); ++i) {
      if (!report_.keys[i].explanation) {
        continue;
      }
      if (selection_.findings.size() == kFindingsMax) {
        ++selection_.findings_left_out;
        continue;
      }
      PictureFinding finding{
          .verdict = i, .operations = contradiction_of(history_, *report_.keys[i].explanation), .shown_within = {}};
      for (const std::uint32_t index : finding.operations) {
        take(index, Role::contradiction);
      }
      selection_.findings.push_back(std::move(finding));
    }
  }

  // Those that `is_wanted`, the nearest first, as far as there is room; returns how near the first one left out is.
  template <class IsWanted>
  std::optional<Duration> take_nearest(const Focus& focus, std::size_t room, Role role, const IsWanted& is_wanted) {
    std::vector<std::pair<Duration, std::uint32_t>> found;
    for (std::uint32_t i = 0; i < history_.operations.size(); ++i) {
      if (!is_taken_[i] && is_wanted(history_.operations[i])) {
        found.emplace_back(focus.distance_of(history_.operations[i]), i);
      }
    }
    const std::size_t count = std::min({room, room_, found.size()});
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(count);
    std::ranges::nth_element(found, end);
    std::ranges::sort(found.begin(), end);
    for (auto it = found.begin(); it != end; ++it) {
      take(it->second, role);
    }
    return end == found.end() ? std::nullopt : std::optional(end->first);
  }

  // Of keys that are not decided half of what room is left.
  void take_undecided() {
    std::vector<ValueId> keys;
    for (const KeyVerdict& key : report_.keys) {
      if (key.verdict == Verdict::undecided) {
        keys.push_back(key.key);
      }
    }
    if (keys.empty()) {
      return;
    }
    std::ranges::sort(keys);
    std::vector<bool> is_wanted(is_taken_.size());
    for (std::size_t i = 0; i < is_wanted.size(); ++i) {
      is_wanted[i] = std::ranges::binary_search(keys, history_.operations[i].key);
    }
    const std::size_t kept = room_ / 2;
    room_ -= kept;
    take_sample(is_wanted);
    room_ += kept;
  }

  // Evenly over the history, until the room is used up.
  void take_sample(const std::vector<bool>& is_wanted) {
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < is_taken_.size(); ++i) {
      if (!is_taken_[i] && is_wanted[i]) {
        left.push_back(i);
      }
    }
    const std::size_t count = std::min(room_, left.size());
    for (std::size_t i = 0; i < count; ++i) {
      take(left[i * left.size() / count], Role::sample);
    }
  }

  const History& history_;
  const CheckReport& report_;
  std::size_t room_;
  std::vector<bool> is_taken_;
  PictureSelection selection_;
};

}  // namespace

TrueTime end_of(const RecordedOperation& operation) {
  return operation.has_returned() ? operation.returned_at : operation.invoked_at;
}

PictureSelection select_for_picture(const History& history, const CheckReport& report, std::size_t operations_max) {
  return Selector(history, report, operations_max).run();
}

}  // namespace shardcheck::histories
