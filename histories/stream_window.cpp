// What is carried over a cut is a value, and which operations of unknown outcome may still happen. Values are told
// apart by asking; the operations have to be the same in every case. So a key is only cut
//
// - without such operations; or where they are all plain writes of values that nothing else can have left there, and no
//   compare-and-set told that it found another value. A write whose value was seen has happened, in every order. One
//   whose value was not seen can as well happen later: without it every answer before the cut stays as it is, and so
//   does the value at the cut, unless that is its own; and then it can take effect just behind the cut. (It must not be
//   a compare-and-set nor a delete: whether those have happened is not said by their values.)
// - where it is known which values to ask about: those of the changes of a register that no change follows; the sum of
//   a counter, which is the largest that was told; or what a read saw that no change overlaps or follows.
#include "histories/stream_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace shardcheck::histories {
namespace {

bool is_definite(const RecordedOperation& operation) {
  return operation.outcome == OutcomeKind::ok || operation.is_refusal_observed;
}

bool is_change(const RecordedOperation& operation) {
  return operation.kind != OperationKind::read && operation.outcome == OutcomeKind::ok;
}

// Of a change of a register.
ValueId product_of(const RecordedOperation& operation) {
  return operation.kind == OperationKind::remove ? kAbsent : operation.argument;
}

void add_once(std::vector<ValueId>& values, ValueId value) {
  if (std::ranges::find(values, value) == values.end()) {
    values.push_back(value);
  }
}

}  // namespace

std::size_t quiet_until(const History& history, std::span<const std::uint32_t> operations) {
  std::size_t cut = 0;
  bool has_answer = false;
  TrueTime last_return{};
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const RecordedOperation& operation = history.operations[operations[i]];
    if (has_answer && last_return < operation.invoked_at) {
      cut = i;
    }
    if (!operation.has_returned()) {
      break;
    }
    if (is_definite(operation)) {
      last_return = has_answer ? std::max(last_return, operation.returned_at) : operation.returned_at;
      has_answer = true;
    }
  }
  return cut;
}

void StreamWindow::open(History& history, std::span<const std::uint32_t> operations, std::span<const ValueId> starts,
                        Past past) {
  history_ = &history;
  operations_ = operations;
  starts_ = starts;
  past_ = past;
  has_pending_ = false;
  bool has_append = false;
  bool has_increment = false;
  bool has_other_change = false;
  end_ = TrueTime{std::numeric_limits<std::int64_t>::min()};
  for (const std::uint32_t index : operations) {
    const RecordedOperation& one = operation(index);
    has_append |= one.kind == OperationKind::append;
    has_increment |= one.kind == OperationKind::increment;
    has_other_change |=
        one.kind != OperationKind::append && one.kind != OperationKind::increment && one.kind != OperationKind::read;
    has_pending_ |= one.outcome == OutcomeKind::unknown && one.kind != OperationKind::read;
    end_ = std::max(end_, (is_definite(one) ? one.returned_at : one.invoked_at) + Duration{1});
  }
  is_register_ = !has_append && !has_increment;
  is_log_ = has_append && !has_increment && !has_other_change;
}

std::optional<std::vector<ValueId>> StreamWindow::ends(const CheckOptions& options) {
  still_pending_.clear();
  if (!settle_pending()) {
    return std::nullopt;
  }
  const std::optional<std::vector<ValueId>> wanted = candidates();
  if (!wanted) {
    return std::nullopt;
  }
  std::vector<ValueId> found;
  for (const ValueId end : *wanted) {
    for (const ValueId start : starts_) {
      const Verdict verdict = ask(start, end, options).verdict;
      if (verdict == Verdict::undecided) {
        return std::nullopt;
      }
      if (verdict == Verdict::linearizable) {
        found.push_back(end);
        break;
      }
    }
  }
  return found;
}

bool StreamWindow::was_seen(ValueId value) const {
  return std::ranges::any_of(operations_, [&](std::uint32_t index) {
    const RecordedOperation& one = operation(index);
    return one.outcome == OutcomeKind::ok && ((one.kind == OperationKind::read && one.observed == value) ||
                                              (one.kind == OperationKind::compare_and_set && one.expected == value));
  });
}

// False when it depends on the order which operations may still happen.
bool StreamWindow::settle_pending() {
  if (!has_pending_) {
    return true;
  }
  const bool is_refusal_told =
      std::ranges::any_of(operations_, [&](std::uint32_t index) { return operation(index).is_refusal_observed; });
  if (!is_register_ || is_refusal_told) {
    return false;
  }
  for (const std::uint32_t index : operations_) {
    const RecordedOperation& one = operation(index);
    if (one.outcome != OutcomeKind::unknown || one.kind == OperationKind::read) {
      continue;
    }
    const auto leaves_the_same = [&](std::uint32_t other) {
      return other != index && operation(other).outcome != OutcomeKind::refused &&
             operation(other).kind != OperationKind::read && product_of(operation(other)) == one.argument;
    };
    if (one.kind != OperationKind::write || one.argument == kAbsent ||
        std::ranges::find(starts_, one.argument) != starts_.end() ||
        std::ranges::any_of(operations_, leaves_the_same)) {
      return false;
    }
    if (!was_seen(one.argument)) {
      still_pending_.push_back(index);
    }
  }
  return true;
}

// Every value that can be there at the end is among them; nothing when they cannot be told.
std::optional<std::vector<ValueId>> StreamWindow::candidates() const {
  std::vector<ValueId> found;
  TrueTime last_invocation{std::numeric_limits<std::int64_t>::min()};  // of a change
  TrueTime last_return = last_invocation;                              // of a change
  bool is_changed = false;
  for (const std::uint32_t index : operations_) {
    const RecordedOperation& one = operation(index);
    if (is_change(one)) {
      is_changed = true;
      last_invocation = std::max(last_invocation, one.invoked_at);
      last_return = std::max(last_return, one.returned_at);
    }
  }
  if (!has_pending_) {
    for (const std::uint32_t index : operations_) {
      const RecordedOperation& one = operation(index);
      if (one.kind == OperationKind::read && one.outcome == OutcomeKind::ok && is_changed &&
          one.invoked_at > last_return) {
        return std::vector<ValueId>{one.observed};
      }
    }
  }
  if (!is_changed) {
    found.assign(starts_.begin(), starts_.end());
  } else if (!is_register_) {
    const bool is_counter = std::ranges::all_of(operations_, [&](std::uint32_t index) {
      const OperationKind kind = operation(index).kind;
      return kind == OperationKind::read || kind == OperationKind::increment;
    });
    if (!is_counter) {
      return std::nullopt;
    }
  }
  std::optional<ValueId> sum;
  for (const std::uint32_t index : operations_) {
    const RecordedOperation& one = operation(index);
    if (is_register_ && is_change(one) && one.returned_at >= last_invocation) {
      add_once(found, product_of(one));
    }
    if (is_register_ && one.outcome == OutcomeKind::unknown && one.kind != OperationKind::read &&
        was_seen(one.argument)) {
      add_once(found, one.argument);
    }
    if (one.kind == OperationKind::increment && is_change(one)) {
      const ValueTable& values = history_->values;
      sum = !sum || values.number_of(*sum) < values.number_of(one.observed) ? one.observed : *sum;
    }
  }
  if (sum) {
    found.push_back(*sum);
  }
  return found;
}

StreamWindow::Answer StreamWindow::judge(const CheckOptions& options) {
  Answer all{.verdict = Verdict::not_linearizable};
  for (const ValueId start : starts_) {
    const Answer answer = ask(start, std::nullopt, options);
    if (answer.verdict == Verdict::linearizable) {
      return answer;
    }
    if (answer.verdict == Verdict::undecided) {
      all = answer;
    } else if (all.verdict == Verdict::not_linearizable && answer.unexplained_line >= all.unexplained_line) {
      all = answer;
      if (past_.is_behind_cut && !all.sentence.empty()) {
        all.sentence =
            fmt::format("from line {} on, where the key {} {}, {}", operation(operations_.front()).invoke_line,
                        starts_.size() > 1 ? "may have held" : "held",
                        start == kAbsent ? "nothing" : history_->values.to_text(start), all.sentence);
      }
    }
  }
  return all;
}

std::string StreamWindow::name_of_asked(std::uint32_t index) const {
  const RecordedOperation& asked = asked_.operations[index];
  return asked.is_initial() ? fmt::format("before line {}", operation(operations_.front()).invoke_line)
                            : fmt::format("line {}", asked.has_returned() ? asked.return_line : asked.invoke_line);
}

StreamWindow::Answer StreamWindow::ask(ValueId start, std::optional<ValueId> end, const CheckOptions& options) {
  asked_.operations.clear();
  const RecordedOperation& first = operation(operations_.front());
  if (start != kAbsent) {
    // What a log holds at first was appended to it.
    const StoredKind kind = history_->values.kind(start);
    const bool is_appended = is_log_ && (kind == StoredKind::list || kind == StoredKind::string);
    asked_.operations.push_back({.key = first.key,
                                 .argument = start,
                                 .kind = is_appended ? OperationKind::append : OperationKind::write,
                                 .outcome = OutcomeKind::ok,
                                 .invoke_line = 1,
                                 .return_line = 1,
                                 .invoked_at = first.invoked_at + Duration{-2},
                                 .returned_at = first.invoked_at + Duration{-1}});
  }
  for (const std::uint32_t index : operations_) {
    asked_.operations.push_back(operation(index));
  }
  if (end) {
    asked_.operations.push_back({.key = first.key,
                                 .observed = *end,
                                 .kind = OperationKind::read,
                                 .outcome = OutcomeKind::ok,
                                 .invoke_line = std::numeric_limits<std::uint32_t>::max(),
                                 .return_line = std::numeric_limits<std::uint32_t>::max(),
                                 .invoked_at = end_,
                                 .returned_at = end_});
  }
  CheckOptions asking = options;
  asking.explains = !end;
  asking.telling = {.names = [this](std::uint32_t index) { return name_of_asked(index); },
                    .is_behind_cut = past_.is_behind_cut,
                    .is_counter = past_.is_of_counter};
  std::swap(asked_.values, history_->values);
  const CheckReport report = checker_.check(asked_, asking);
  std::swap(asked_.values, history_->values);
  const KeyVerdict& key = report.keys.front();
  return {.verdict = key.verdict,
          .shortage = key.shortage,
          .unexplained_line = key.explanation ? key.explanation->line : 0,
          .sentence = key.explanation ? key.explanation->sentence : std::string()};
}

}  // namespace shardcheck::histories
