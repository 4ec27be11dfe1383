// Joins the lines of a history to operations: every return to its invocation, in the order of the file. Where formats
// and systems differ in what a line means, ReadingRules say it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "histories/event_line.h"
#include "histories/flat_map.h"
#include "histories/history.h"
#include "histories/read_budget.h"
#include "spec/error.h"

namespace shardcheck::histories {

struct ReadingRules {
  // A read that was answered with nothing tells nothing, as Knossos has it; otherwise the key was absent.
  bool nil_read_tells_nothing = false;
  // "" is how the system says that a key is absent, as in Porcupine's key-value logs.
  bool empty_is_absent = false;
  // A compare-and-set that failed found another value than it expected, rather than not having happened.
  bool failed_cas_observes = false;
  // The order of the lines counts; times only say when. Otherwise times count, and must not run backwards.
  bool are_lines_in_order = false;
  // What every key holds before its first operation: a whole number, or else a string. Absent: nothing.
  std::optional<std::string> initial{};

  friend bool operator==(const ReadingRules&, const ReadingRules&) = default;
};

class HistoryAssembler {
 public:
  // `budget` may be null, and must outlive the use.
  HistoryAssembler(ReadingRules rules, ReadBudget* budget) : rules_(std::move(rules)), budget_(budget) {}

  // Where a parser of lines interns what it reads.
  ValueTable& values() { return history_.values; }
  // The event that was read last from `lines`, a reader that knows its place and how many lines there will be.
  template <class Lines>
  Result<void> add(const Result<EventLine>& event, const Lines& lines) {
    if (!event) {
      return fail(lines.place(), event.error().what);
    }
    if (Result<void> added = add_line(*event, lines.line_number()); !added) {
      return fail(lines.place(), std::move(added.error().what));
    }
    if (++lines_ == kLinesBeforeReserving) {
      reserve(lines.expected(lines_));
    }
    return keep_to_budget() ? Result<void>() : fail(lines.place(), "reading it takes more than is allowed");
  }

  // For readers of streams, which judge and take away what is finished; forget_taken() is to be called after that.
  History& so_far() { return history_; }
  void forget_taken();

  bool has_operations() const { return !history_.operations.empty() || !history_.transactions.empty(); }
  bool has_nemesis() const { return !history_.nemesis.empty(); }
  History take();

 private:
  // So many lines of the beginning tell how many there will be.
  static constexpr std::uint64_t kLinesBeforeReserving = 2'000;

  // Lines are numbered upwards from 1. Errors have no place.
  Result<void> add_line(const EventLine& event, std::uint32_t line);
  void reserve(std::uint64_t lines_expected);
  bool keep_to_budget();
  std::uint64_t memory_bytes() const;
  Result<TrueTime> time_of(const EventLine& event, std::uint32_t line);
  Result<void> check_names(const EventLine& event);
  Result<void> add_invocation(const EventLine& event, std::uint32_t line, TrueTime time);
  Result<void> add_return(const EventLine& event, std::uint32_t line, TrueTime time);
  Result<void> set_argument(const EventLine& event, RecordedOperation& operation);
  Result<void> set_answer(const EventLine& event, RecordedOperation& operation);
  Result<void> check_echo(const EventLine& event, const RecordedOperation& operation);
  Result<void> add_transaction(const EventLine& event, std::uint32_t line, TrueTime time);
  Result<void> return_transaction(const EventLine& event, std::uint32_t line, TrueTime time,
                                  RegisterTransaction& transaction) const;
  void set_refusal(RecordedOperation& operation) const;
  void apply_empty_is_absent();
  ValueId initial_value(const std::string& initial);
  void write_initial_values(const std::string& initial);
  void write_initial_registers(const std::string& initial);

  ReadingRules rules_;
  ReadBudget* budget_;
  std::uint64_t bytes_beside_ = 0;  // of the history, beside its operations and values
  std::uint64_t lines_ = 0;
  History history_;
  FlatMap outstanding_;  // process -> 1 + index of its operation without return; 0 when there is none
  std::optional<bool> has_times_;
  std::optional<StoredKind> kind_of_keys_;
  TrueTime last_;
};

}  // namespace shardcheck::histories
