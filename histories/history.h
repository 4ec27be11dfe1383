// A recorded history as data: what each client asked, what it was told, and when. Made by a reader (formats.h) or in
// memory by HistoryBuilder; judged by checker.h.
//
// Times are nanoseconds. An operation takes effect at one instant of the closed interval from its invocation to its
// return; so one operation precedes another only if it returned at a strictly earlier time than the other was invoked,
// and operations that touch at one instant are concurrent (also those of one process).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "histories/value_table.h"
#include "spec/operation.h"
#include "spec/types.h"

namespace shardcheck::histories {

struct RecordedOperation {
  ValueId process{};
  ValueId key{};
  ValueId argument{};  // write, append: what; compare_and_set: the new value
  ValueId expected{};  // compare_and_set: the value that must be there
  ValueId observed{};  // ok only. read: what was there; increment: the new number
  OperationKind kind = OperationKind::read;
  // refused: it did not happen. unknown: it may have happened, may happen at any later time, or never.
  OutcomeKind outcome = OutcomeKind::unknown;
  // Of a refused compare_and_set: it is known to have found another value than `expected`.
  bool is_refusal_observed = false;
  std::uint32_t invoke_line = 0;  // the line of the file, or the number of the builder's call, from 1
  std::uint32_t return_line = 0;  // 0: it never returned (then it is unknown)
  TrueTime invoked_at{};
  TrueTime returned_at{};  // meaningless when it never returned

  bool has_returned() const { return return_line != 0; }
  // Nobody asked for it: it stands for what was there when the recording began (ReadingRules::initial).
  bool is_initial() const { return outcome == OutcomeKind::ok && invoke_line == return_line; }
  friend bool operator==(const RecordedOperation&, const RecordedOperation&) = default;
};

// A fault, a move, or whatever else the recorder wrote down between the operations. Kept as it was; judged by nobody.
struct NemesisEvent {
  std::uint32_t line = 0;
  std::optional<TrueTime> at;
  std::string what;  // the line's "f"
  std::string text;  // the whole line

  friend bool operator==(const NemesisEvent&, const NemesisEvent&) = default;
};

// A step of a transaction over several registers.
struct RegisterStep {
  ValueId key{};
  ValueId value{};
  bool is_write = false;
  bool is_known = false;  // of a read: `value` is what it saw

  friend bool operator==(const RegisterStep&, const RegisterStep&) = default;
};

struct RegisterTransaction {
  ValueId process{};
  std::vector<RegisterStep> steps;
  OutcomeKind outcome = OutcomeKind::unknown;
  std::uint32_t invoke_line = 0;
  std::uint32_t return_line = 0;
  TrueTime invoked_at{};
  TrueTime returned_at{};
};

struct History {
  std::vector<RecordedOperation> operations;  // in the order of their invocations
  // The same; a history has either operations or transactions (which only Knossos' format can tell).
  std::vector<RegisterTransaction> transactions;
  std::vector<NemesisEvent> nemesis;
  ValueTable values;

  // Forgets everything and keeps the memory.
  void clear();
  // Of the operations and the values.
  std::uint64_t memory_bytes() const { return operations.size() * sizeof(RecordedOperation) + values.memory_bytes(); }
};

// Equal operations, with equal values, and equal nemesis events; value ids may differ, as may line numbers when
// `compare_lines` is false.
bool is_same(const History& left, const History& right, bool compare_lines);

// For recordings of which the clocks are known to be off by up to `clock_error` from the truth: every operation may
// have begun so much earlier, and returned so much later, than was recorded.
void widen_intervals(History& history, Duration clock_error);

// Builds a history in memory, one call for each thing that happened, in the order of time. Reusable: clear() keeps the
// memory. Invocations and returns are numbered from 1 as if they were lines, and write_json_lines writes them so.
class HistoryBuilder {
 public:
  struct Call {
    ValueId process;
    ValueId key;
    OperationKind kind = OperationKind::read;
    ValueId argument{};
    ValueId expected{};
  };

  void clear();

  // Values, keys and process names for the calls below.
  ValueTable& values() { return history_.values; }

  // Returns the operation's index, to be given to one of the three below at most once.
  std::uint32_t invoke(TrueTime now, const Call& call);
  // `observed`: what a read or an increment was told.
  void ok(TrueTime now, std::uint32_t operation, ValueId observed = kAbsent);
  // `is_observed`: a compare-and-set was refused because it found another value.
  void refused(TrueTime now, std::uint32_t operation, bool is_observed = false);
  void unknown(TrueTime now, std::uint32_t operation);

  void nemesis(TrueTime now, std::string_view what);

  const History& history() const { return history_; }

 private:
  RecordedOperation& returned(TrueTime now, std::uint32_t operation);

  std::uint32_t next_line(TrueTime now);

  History history_;
  std::uint32_t lines_ = 0;
  TrueTime last_;
};

}  // namespace shardcheck::histories
