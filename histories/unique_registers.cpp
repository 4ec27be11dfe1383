// Every value has one producer. So a compare-and-set from it comes after that producer, and after all reads of the
// value, with nothing between that changes it; and there can be only one, as the value never comes back. The values
// therefore form chains, each from a plain write over compare-and-sets, whose operations stand together in any order of
// effects, and in one sequence but for reads of one value (which may as well stand in the order of their invocations).
// A chain that contradicts the order of time, or has no beginning, refutes the history. Otherwise only its earliest
// return and its last invocation matter to what stands before and behind, and register_sweep.cpp puts the chains in
// order.
#include "histories/unique_registers.h"

#include <algorithm>

namespace shardcheck::histories {

MaybeDecision UniqueRegisters::decide(const KeyHistory& history) {
  if (!collect(history)) {
    return std::nullopt;
  }
  if (is_refuted_ || !join_chains(history)) {
    return refuted(suspect_);
  }
  if (!sweep_.run(items_, true)) {
    const auto [left, right] = sweep_.contradiction();
    return refuted(std::max(suspect_of(history, left), suspect_of(history, right)));
  }
  if (!witness_.explains(history, witness(history))) {
    return std::nullopt;  // a mistake of ours, and then the search's task
  }
  return Decision{.verdict = Verdict::linearizable};
}

UniqueRegisters::Value& UniqueRegisters::value_of(ValueId id) {
  const std::uint32_t index = index_of_value_.find_or_insert(id);
  if (index == values_.size()) {
    values_.push_back(Value{});
  }
  return values_[index];
}

// False when the history is not of the form that can be decided.
bool UniqueRegisters::collect(const KeyHistory& history) {
  index_of_value_.reset(history.operations.size());
  values_.clear();
  items_.clear();
  subjects_.clear();
  suspect_ = kNever;
  is_refuted_ = false;
  const auto reads =
      static_cast<std::size_t>(std::ranges::count(history.operations, OperationKind::read, &KeyOperation::kind));
  values_.reserve(history.operations.size() - reads);
  items_.reserve(history.operations.size() - reads);
  subjects_.reserve(history.operations.size() - reads);
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    if (!collect_operation(history.operations[i], i)) {
      return false;
    }
  }
  return true;
}

bool UniqueRegisters::collect_operation(const KeyOperation& operation, std::uint32_t index) {
  switch (operation.kind) {
    case OperationKind::read: {
      if (operation.observed == kAbsent) {
        add_item(operation, index, SweepItem::Kind::absent_read);
        return operation.has_returned();
      }
      Value& value = value_of(operation.observed);
      ++value.reads;
      value.reads_first_return = std::min(value.reads_first_return, operation.returned);
      value.reads_last_invocation = operation.invoked;
      return operation.has_returned();
    }
    case OperationKind::remove: add_item(operation, index, SweepItem::Kind::remove); return true;
    case OperationKind::write:
      if (operation.argument == kAbsent) {
        add_item(operation, index, SweepItem::Kind::remove);
        return true;
      }
      return operation.has_returned() && produce(operation.argument, index);
    case OperationKind::compare_and_set: {
      if (operation.expected == kAbsent || operation.argument == kAbsent || !operation.has_returned() ||
          !produce(operation.argument, index)) {
        return false;
      }
      Value& from = value_of(operation.expected);
      if (from.consumer != kNone) {
        suspect_ = operation.returned;
        is_refuted_ = true;
      }
      from.consumer = index;
      return true;
    }
    case OperationKind::append:
    case OperationKind::increment:
    case OperationKind::scan: return false;
  }
  return false;
}

bool UniqueRegisters::produce(ValueId value, std::uint32_t operation) {
  std::uint32_t& producer = value_of(value).producer;
  const bool is_first = producer == kNone;
  producer = operation;
  return is_first;
}

void UniqueRegisters::add_item(const KeyOperation& operation, std::uint32_t index, SweepItem::Kind kind) {
  items_.push_back({.arrival = operation.invoked, .deadline = operation.returned, .kind = kind});
  subjects_.push_back(index);
}

// The index of the value that the compare-and-set from this one leaves behind.
std::uint32_t UniqueRegisters::next_in_chain(const KeyHistory& history, const Value& value) const {
  return value.consumer == kNone ? kNone : index_of_value_.find(history.operations[value.consumer].argument);
}

// Adds each chain as an item; false when one contradicts itself.
bool UniqueRegisters::join_chains(const KeyHistory& history) {
  std::size_t joined = 0;
  for (std::uint32_t head = 0; head < values_.size(); ++head) {
    const std::uint32_t producer = values_[head].producer;
    if (producer == kNone) {  // nobody wrote it
      const std::uint32_t consumer = values_[head].consumer;
      suspect_ = std::min(values_[head].reads_first_return,
                          consumer == kNone ? kNever : history.operations[consumer].returned);
      return false;
    }
    if (history.operations[producer].kind == OperationKind::write) {
      if (!join_chain(history, head)) {
        return false;
      }
      for (std::uint32_t i = head; i != kNone; i = next_in_chain(history, values_[i])) {
        ++joined;
      }
    }
  }
  // What is left runs in circles: each value would have to be there before itself.
  return joined == values_.size();
}

bool UniqueRegisters::join_chain(const KeyHistory& history, std::uint32_t head) {
  time_ = TimeCheck();
  Position first_return = kNever;
  for (std::uint32_t i = head; i != kNone; i = next_in_chain(history, values_[i])) {
    const Value& value = values_[i];
    const KeyOperation& producer = history.operations[value.producer];
    if (!put(history, producer.returned, producer.invoked) ||
        (value.reads != 0 && !put(history, value.reads_first_return, value.reads_last_invocation))) {
      return false;
    }
    first_return = std::min({first_return, producer.returned, value.reads_first_return});
  }
  items_.push_back({.arrival = time_.last_invocation(), .deadline = first_return, .kind = SweepItem::Kind::block});
  subjects_.push_back(head);
  return true;
}

bool UniqueRegisters::put(const KeyHistory& history, Position first_return, Position last_invocation) {
  const Position last_before = time_.last_invocation();
  if (time_.put(first_return, last_invocation)) {
    return true;
  }
  suspect_ = std::max(first_return, return_of_invocation(history, last_before));
  return false;
}

void UniqueRegisters::gather_reads(const KeyHistory& history) {
  std::uint32_t end = 0;
  for (Value& value : values_) {
    value.reads_begin = end;
    end += value.reads;
    value.reads = 0;
  }
  reads_.resize(end);
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const KeyOperation& operation = history.operations[i];
    if (operation.kind == OperationKind::read && operation.observed != kAbsent) {
      Value& value = value_of(operation.observed);
      reads_[value.reads_begin + value.reads++] = i;
    }
  }
}

// The order of the sweep, written out.
const std::vector<std::uint32_t>& UniqueRegisters::witness(const KeyHistory& history) {
  gather_reads(history);
  order_.clear();
  order_.reserve(history.operations.size());
  for (const std::uint32_t item : sweep_.order()) {
    if (items_[item].kind != SweepItem::Kind::block) {
      order_.push_back(subjects_[item]);
      continue;
    }
    for (std::uint32_t i = subjects_[item]; i != kNone; i = next_in_chain(history, values_[i])) {
      const Value& value = values_[i];
      order_.push_back(value.producer);
      const auto begin = reads_.begin() + value.reads_begin;
      order_.insert(order_.end(), begin, begin + value.reads);
    }
  }
  return order_;
}

// When the last of the item's operations returned that the sweep has looked at.
Position UniqueRegisters::suspect_of(const KeyHistory& history, std::uint32_t item) const {
  const Position last = return_of_invocation(history, items_[item].arrival);
  return last == kNever ? items_[item].deadline : std::max(items_[item].deadline, last);
}

}  // namespace shardcheck::histories
