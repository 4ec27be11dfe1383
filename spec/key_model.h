// The sequential model of one key: what each operation does to it and answers. The one definition that the reference
// store executes, that the history checker searches with, and that oracles compare against.
//
// It is a template over an algebra of values (absent, equal, append, increment), so that the simulated store can use
// values of fixed size (InlineValues in value.h) and the history checker interned ones of any size.
#pragma once

#include "spec/operation.h"

namespace shardcheck {

template <class Values>
struct KeyModel {
  using Value = typename Values::Value;

  struct Step {
    OutcomeKind outcome;  // ok or refused; a sequential step is never unknown
    Value after;          // equals the value before when refused
    Value answer;         // what an ok read or increment returns; absent for the others
  };

  // Executes one operation on a key that holds `before`. Refused without effect: a compare-and-set whose expected
  // value is not there, an append to something that takes none, an increment of something that is no number.
  static constexpr Step apply(const Values& values, OperationKind kind, const Value& before, const Value& argument,
                              const Value& expected) {
    const Value nothing = values.absent();
    const Step refused{OutcomeKind::refused, before, nothing};
    switch (kind) {
      case OperationKind::read: return {OutcomeKind::ok, before, before};
      case OperationKind::scan: return refused;  // is about more than one key
      case OperationKind::write: return {OutcomeKind::ok, argument, nothing};
      case OperationKind::remove: return {OutcomeKind::ok, nothing, nothing};
      case OperationKind::compare_and_set:
        return values.equal(before, expected) ? Step{OutcomeKind::ok, argument, nothing} : refused;
      case OperationKind::append:
        return values.can_append(before, argument) ? Step{OutcomeKind::ok, values.append(before, argument), nothing}
                                                   : refused;
      case OperationKind::increment: {
        if (!values.can_increment(before)) {
          return refused;
        }
        const Value sum = values.increment(before);
        return {OutcomeKind::ok, sum, sum};
      }
    }
    return refused;
  }
};

}  // namespace shardcheck
