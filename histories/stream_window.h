// A stretch of what was asked of one key, between two quiet moments: what its value can be at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "histories/checker.h"
#include "histories/history.h"

namespace shardcheck::histories {

// The operations of a key, in the order of their invocations, before the last quiet moment that is followed by
// anything. An operation of unknown outcome is no longer waited for once it has returned.
std::size_t quiet_until(const History& history, std::span<const std::uint32_t> operations);

// Reusable.
class StreamWindow {
 public:
  // `history` and `operations` must outlive the use; the latter are all that was asked in the stretch, and what was
  // asked before and may still happen. `starts`: the values that can have been there before.
  struct Past {
    bool is_behind_cut = false;
    bool is_of_counter = false;  // so far, the key was only read and incremented
  };
  void open(History& history, std::span<const std::uint32_t> operations, std::span<const ValueId> starts, Past past);

  // The values that can be there at the end; nothing when that cannot be told, or takes too much.
  std::optional<std::vector<ValueId>> ends(const CheckOptions& options);
  // After ends(): of the operations, those that may still happen.
  const std::vector<std::uint32_t>& still_pending() const { return still_pending_; }

  struct Answer {
    Verdict verdict = Verdict::undecided;
    Shortage shortage = Shortage::none;
    std::uint32_t unexplained_line = 0;
    std::string sentence{};
  };
  Answer judge(const CheckOptions& options);

 private:
  Answer ask(ValueId start, std::optional<ValueId> end, const CheckOptions& options);
  bool settle_pending();
  std::optional<std::vector<ValueId>> candidates() const;
  bool was_seen(ValueId value) const;
  // How the operation with this index in asked_ is called; the value carried over the cut stands in front, if any does.
  std::string name_of_asked(std::uint32_t index) const;

  const RecordedOperation& operation(std::uint32_t index) const { return history_->operations[index]; }

  History* history_ = nullptr;
  std::span<const std::uint32_t> operations_;
  std::span<const ValueId> starts_;
  Past past_;
  bool has_pending_ = false;
  bool is_log_ = false;       // of appends, and perhaps reads
  bool is_register_ = false;  // neither appends nor increments
  TrueTime end_;              // behind everything that was asked or answered
  std::vector<std::uint32_t> still_pending_;
  History asked_;
  Checker checker_;
};

}  // namespace shardcheck::histories
