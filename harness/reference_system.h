// The reference cluster in the simulated world, as a System: steps in, facts out. It looks into the processes to tell
// the judge what only an omniscient observer can know: claims in true time, contents at a cutover, what is left at the
// end.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario.h"
#include "impl/cluster.h"
#include "sim/world.h"
#include "spec/system.h"

namespace shardcheck::harness {

// Receives a run's story, a line at a time, while tracing is on.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void line(TrueTime at, const std::string& text) = 0;
};

class ReferenceSystem final : public System {
 public:
  // Of `scenario` only what the cluster is made of is used; steps come through apply, deviations from `deviations`.
  // Both must outlive this object or the next call of configure.
  ReferenceSystem() : world_(*this) {}
  void configure(const Scenario& scenario, sim::DeviationSource& deviations, TraceSink* trace = nullptr);

  void start(ObservationSink& sink) override;
  Bounds bounds() const override;
  bool apply(const Step& step) override;
  bool advance(TrueTime until) override;
  TrueTime now() const override { return world_.now(); }
  void heal() override;
  bool is_settled() const override;
  void tell_end() override;
  std::uint64_t events() const override { return world_.events(); }
  std::uint64_t digest() const override { return world_.digest(); }

  // What the world calls.
  void replied(NodeId from, const impl::Message& message, TrueTime at);
  void observed(TrueTime at, NodeId by, const Observation& fact);
  void handled(NodeId process, TrueTime at);
  void traced(const sim::TraceEvent<impl::Protocol>& event);

 private:
  using World = sim::World<impl::Protocol, ReferenceSystem>;

  struct ToldClaim {
    bool is_told = false;
    impl::ServingClaim claim{};
    std::uint32_t shifts = 0;  // of the node's clock when it was told: another shift moves its end in true time
  };
  struct OpenMove {
    bool has_barrier = false;
    ContentDigest at_barrier;  // of the source's copy
  };

  const impl::StorageNode* storage(NodeId id) const { return world_.process(id).storage(); }
  void tell(TrueTime at, NodeId by, const Observation& fact) { sink_->on({at, by, fact}); }
  void tell_claim(NodeId process, ShardId shard, TrueTime at);
  void forget_claims(NodeId process);
  void on_record(const RecordCommitted& committed, TrueTime at);

  World world_;
  const Scenario* scenario_ = nullptr;
  sim::DeviationSource* deviations_ = nullptr;
  TraceSink* trace_ = nullptr;
  ObservationSink* sink_ = nullptr;
  std::vector<ShardRecord> records_;  // as committed
  std::vector<OpenMove> open_moves_;  // by ShardId
  std::vector<ToldClaim> told_;       // by process, then ShardId
};

}  // namespace shardcheck::harness
