// The reference cluster in the simulated world, as a System: steps in, facts out. It looks into the processes to tell
// the judge what only an omniscient observer can know: claims in true time, contents at a cutover, what is left at the
// end.
#pragma once

#include <vector>

#include "harness/claim_teller.h"
#include "harness/simulated_system.h"
#include "impl/cluster.h"

namespace shardcheck::harness {

class ReferenceSystem final : public SimulatedSystem<impl::Protocol, ReferenceSystem> {
 public:
  ReferenceSystem() : SimulatedSystem(*this) {}

  void start(ObservationSink& sink) override;
  Bounds bounds() const override;
  bool apply(const Step& step) override;
  ProcessRole role_of(NodeId process) const override;
  bool is_settled() const override;
  bool is_cut_off(ClientId client) const override;
  void tell_end() override;

  // What the world calls.
  void replied(NodeId from, const impl::Message& message, TrueTime at);
  void observed(TrueTime at, NodeId by, const Observation& fact);
  void handled(NodeId process, TrueTime at);
  void traced(const sim::TraceEvent<impl::Protocol>& event);

 private:
  struct OpenMove {
    bool has_barrier = false;
    bool is_target_lost = false;  // its disk was, since the move began
    ContentDigest at_barrier;     // of the source's copy
  };

  // Null for kNoNode and for processes of any other role.
  const impl::StorageNode* storage(NodeId id) const { return id == kNoNode ? nullptr : world_.process(id).storage(); }
  NodeId operators_mover(NodeId usual) const;
  bool is_out_of_reach(const ShardRecord& record) const;
  bool waits_for_gone(const ShardRecord& record) const;
  // reference_members.cpp
  void enlist(const JoinStep& step);
  void enlist(const LeaveStep& step);
  void insist(NodeId process);
  bool may_stop(NodeId process) const;
  bool waits_for_leaving() const;
  bool has_left_copies() const;
  bool has_wishes() const;
  void state_pause(Bounds& bounds) const;
  void tell_tiers(NodeId by);
  void note_lost_disk(NodeId process);
  bool is_repeated(const Observation& fact);
  void on_record(const RecordCommitted& committed, TrueTime at);
  void name_differing(const ShardRecord& record, CutoverContent& content) const;

  std::vector<ShardRecord> records_;  // as committed
  DirectoryPosition told_position_;   // of the last step that the judge was told of
  std::vector<RecordCommitted> told_records_;
  std::vector<OpenMove> open_moves_;  // by ShardId
  ClaimTeller<impl::ServingClaim> claims_;
  NodeSet joining_;          // told to
  NodeSet leaving_;          // told to, and not stopped yet
  NodeSet stopped_at_once_;  // of them, whatever they still have
};

}  // namespace shardcheck::harness
