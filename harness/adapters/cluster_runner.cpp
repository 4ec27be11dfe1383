#include "harness/adapters/cluster_runner.h"

#include <fmt/format.h>

#include <utility>

namespace shardcheck::harness {
namespace {

ForeignSystem make_up_of(const ClusterSystem& system, std::string name) {
  ForeignSystem make_up;
  make_up.name = std::move(name);
  make_up.processes = static_cast<std::uint16_t>(system.shape().processes.size());
  make_up.clients = system.shape().clients;
  make_up.shards = static_cast<std::uint16_t>(system.bounds().shards);
  make_up.key_space = system.shape().key_space;
  make_up.message_kinds = system.shape().message_kinds;
  return make_up;
}

}  // namespace

ClusterRunner::ClusterRunner(const Cluster& cluster, std::string name)
    : system_(cluster), make_up_(make_up_of(system_, std::move(name))) {}

const RunReport& ClusterRunner::run(sim::Choices& choices, Scenario& drawn) {
  Plan plan = draw_plan(choices, simulated_shape_of(shape()));
  plan.scenario.system = make_up_;
  return driver_.run(system_, std::move(plan), fault_limits_of(shape()), choices, drawn);
}

const RunReport& ClusterRunner::run(const Scenario& scenario, TraceSink* trace) {
  SHARDCHECK_ASSERT(scenario.system == make_up_);
  return driver_.run(system_, scenario, trace);
}

Result<void> ClusterRunner::check(const Scenario& scenario) const {
  if (scenario.system != make_up_) {
    return fail(make_up_.name, "the scenario is of another system, or of one that was made up otherwise");
  }
  for (const ClockSetting& clock : scenario.clocks) {
    if (clock.offset > shape().clock_offset_max || clock.offset < Duration{} - shape().clock_offset_max) {
      return fail(make_up_.name,
                  fmt::format("the clock of process {} is further from true time than this cluster allows",
                              clock.process.value));
    }
  }
  return {};
}

Subject subject_of(ClusterRunner& runner) {
  Subject subject;
  subject.draw = [&runner](sim::Choices& choices, Scenario& drawn) -> const RunReport& {
    return runner.run(choices, drawn);
  };
  subject.replay = [&runner](const Scenario& scenario) -> const RunReport& { return runner.run(scenario); };
  subject.error = [&runner] { return runner.error(); };
  return subject;
}

}  // namespace shardcheck::harness
