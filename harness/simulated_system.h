// What every System in the simulated world has in common, whatever its processes are: a world made up as a scenario
// says, time, faults, and the way of facts to the judge. Derived is the world's host and adds what only it knows:
// provisions, client and move steps, bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/scenario.h"
#include "harness/trace_sink.h"
#include "sim/world.h"
#include "spec/system.h"

namespace shardcheck::harness {

template <class Protocol, class Derived>
class SimulatedSystem : public System {
 public:
  // Of `scenario` only what the cluster is made of is used; steps come through apply, deviations from `deviations`.
  // All must outlive this object or the next call of configure.
  void configure(const Scenario& scenario, sim::DeviationSource& deviations, TraceSink* trace = nullptr) {
    scenario_ = &scenario;
    deviations_ = &deviations;
    trace_ = trace;
  }

  bool advance(TrueTime until) override { return world_.run_until(until, kEventsMax); }
  TrueTime now() const override { return world_.now(); }
  void heal() override {
    tell(world_.now(), kNoNode, Healed{});
    world_.heal();
  }
  std::uint64_t events() const override { return world_.events(); }
  std::uint64_t digest() const override { return world_.digest(); }

 protected:
  // Only a run that never ends comes near.
  static constexpr std::uint64_t kEventsMax = 200'000;

  explicit SimulatedSystem(Derived& host) : world_(host) {}

  // Every process is there and none is started. Clocks of processes that do not exist are left out.
  template <class Provision>
  void prepare(ObservationSink& sink, std::vector<Provision> cluster, Duration clock_offset_max) {
    sink_ = &sink;
    sim::WorldOptions options;
    options.network = scenario_->network;
    options.clock_offset_max = clock_offset_max;
    const std::size_t processes = cluster.size();
    world_.reset(options, std::move(cluster), *deviations_);
    world_.set_tracing(trace_ != nullptr);
    for (const ClockSetting& clock : scenario_->clocks) {
      if (clock.process.value < processes) {
        world_.set_clock(clock.process, clock.offset, clock.drift_ppm);
        for (const sim::DriftChange& change : clock.changes) {
          world_.change_drift(clock.process, change);
        }
      }
    }
  }
  void inject_fault(const FaultStep& fault) {
    sim::Deviation deviation;
    deviation.kind = fault.kind;
    deviation.duration = fault.duration;
    deviation.is_both_ways = true;
    world_.inject_fault(fault.process, deviation, fault.peer);
  }
  // The records with which a run begins, each granted at the position that is its epoch.
  void tell_created(const std::vector<ShardRecord>& records, NodeId by) {
    DirectoryPosition last;
    for (const ShardRecord& record : records) {
      last = DirectoryPosition{record.epoch.value};
      tell(TrueTime{}, by, RecordCommitted{last, RecordChange::created, Epoch{}, MoverEpoch{}, record});
    }
    tell(TrueTime{}, by, DirectoryStepped{last});
  }
  void tell(TrueTime at, NodeId by, const Observation& fact) { sink_->on({at, by, fact}); }

  sim::World<Protocol, Derived> world_;
  const Scenario* scenario_ = nullptr;
  sim::DeviationSource* deviations_ = nullptr;
  TraceSink* trace_ = nullptr;
  ObservationSink* sink_ = nullptr;
};

}  // namespace shardcheck::harness
