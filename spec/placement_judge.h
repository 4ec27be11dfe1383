// What the laws of placement share: counting checks, keeping the first violation, building a placement from edits. Used
// by the placement_*_law.cpp files only.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "spec/placement_laws.h"

namespace shardcheck {

class PlacementJudge {
 public:
  explicit PlacementJudge(ClauseId clause) : clause_(clause) {}

  // Counts one check. `message` makes the text and is called only for the first failure. Returns `holds`.
  template <class Message>
  bool expect(bool holds, Message message) {
    ++result_.checks;
    if (!holds && !result_.violation) {
      result_.violation = Violation{.clause = clause_, .at = TrueTime{0}, .message = message()};
    }
    return holds;
  }

  bool is_violated() const { return result_.violation.has_value(); }
  LawResult result() const { return result_; }

 private:
  ClauseId clause_;
  LawResult result_;
};

// Two instances that go through a history in step, `after` always one valid edit ahead of `before`.
class PlacementPair {
 public:
  PlacementPair(const PlacementFactory& factory, PlacementParameters parameters)
      : before_(factory.make(parameters)), after_(factory.make(parameters)) {}

  // False when the edit is not valid, or was refused although it is: P1 reports that, other laws stop judging.
  bool step(const PlacementEdit& edit) {
    members_before_ = members_after_;
    is_in_step_ = is_in_step_ && (!pending_ || apply(*before_, *pending_).has_value());
    pending_.reset();
    if (!is_in_step_ || !members_after_.apply(edit)) {
      return false;
    }
    is_in_step_ = apply(*after_, edit).has_value();
    pending_ = edit;
    return is_in_step_;
  }

  const Placement& before() const { return *before_; }
  const Placement& after() const { return *after_; }
  const Membership& members_before() const { return members_before_; }
  const Membership& members_after() const { return members_after_; }

 private:
  std::unique_ptr<Placement> before_;
  std::unique_ptr<Placement> after_;
  Membership members_before_;
  Membership members_after_;
  std::optional<PlacementEdit> pending_;
  bool is_in_step_ = true;
};

// A placement with the valid ones of these edits, and their members; no placement if it refused a valid one.
struct BuiltPlacement {
  std::unique_ptr<Placement> placement;
  Membership membership;
};
BuiltPlacement build_placement(const PlacementFactory& factory, PlacementParameters parameters,
                               std::span<const PlacementEdit> edits);

// The members as additions, in the order of names or against it.
std::vector<PlacementEdit> additions_of(const Membership& membership, bool is_backwards);

// The owner, or "nobody (reason)".
std::string owner_or_reason(const Result<std::string_view>& owner);

}  // namespace shardcheck
