// The directory alone, as a System of its own in the simulated world: its members and one process for each client,
// which reads, writes and compares-and-sets its settings. The history of these goes through the checker like any other.
#pragma once

#include "harness/generate.h"
#include "harness/labels.h"
#include "harness/simulated_system.h"
#include "impl/cluster.h"

namespace shardcheck::harness {

class DirectorySystem final : public SimulatedSystem<impl::Protocol, DirectorySystem> {
 public:
  DirectorySystem() : SimulatedSystem(*this) {}

  void start(ObservationSink& sink) override;
  Bounds bounds() const override;
  bool apply(const Step& step) override;
  bool is_settled() const override { return true; }

  // Of the last run: the highest term that any member reached.
  std::uint32_t terms() const;

  // What the world calls.
  void replied(NodeId from, const impl::Message& message, TrueTime at);
  void observed(TrueTime at, NodeId by, const Observation& fact) { tell(at, by, fact); }
  void handled(NodeId, TrueTime) {}
  void traced(const sim::TraceEvent<impl::Protocol>& event);

 private:
  NodeId client(ClientId id) const;
};

// What its settings know.
constexpr bool is_asked_of_settings(OperationKind kind) {
  return kind == OperationKind::read || kind == OperationKind::write || kind == OperationKind::compare_and_set;
}

// Of the seeded bugs those that it can show: all others have no part in settings.
constexpr bool is_shown_by_directory_alone(impl::Mutant mutant) {
  return mutant == impl::Mutant::none || mutant == impl::Mutant::dir_grant_not_majority ||
         mutant == impl::Mutant::dir_epoch_reuse_after_failover;
}

// A directory of three or five members with this bug, its clients and what they ask.
Plan draw_directory_plan(sim::Choices& choices, impl::Mutant mutant);

}  // namespace shardcheck::harness
