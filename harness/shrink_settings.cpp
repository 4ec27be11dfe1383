#include "harness/shrink_settings.h"

#include <algorithm>
#include <variant>

namespace shardcheck::harness {
namespace {

bool names(const Step& step, NodeId process) {
  const auto* fault = std::get_if<FaultStep>(&step.what);
  return fault != nullptr && (fault->process == process || fault->peer == process);
}

// Of storage nodes it need not tell: they keep their numbers.
bool names(const Scenario& scenario, NodeId process) {
  return std::ranges::any_of(scenario.clocks, [&](const ClockSetting& it) { return it.process == process; }) ||
         std::ranges::any_of(scenario.steps, [&](const Step& it) { return names(it, process); }) ||
         std::ranges::any_of(scenario.deviations, [&](const sim::Deviation& it) {
           return it.anchor.from == process || it.anchor.to == process;
         });
}

std::uint16_t range_of(const Step& step) {
  if (const auto* move = std::get_if<MoveStep>(&step.what)) {
    return move->shard.value;
  }
  if (const auto* split = std::get_if<SplitStep>(&step.what)) {
    return split->shard.value;
  }
  const auto* merge = std::get_if<MergeStep>(&step.what);
  return merge == nullptr ? std::uint16_t{0} : merge->shard.value;
}

void drop_further_movers(Scenario& scenario) {
  impl::ClusterOptions& cluster = scenario.cluster;
  const impl::Roles roles(cluster);
  for (std::uint16_t i = 1; i < roles.movers(); ++i) {
    if (names(scenario, roles.mover(i))) {
      return;
    }
  }
  cluster.movers = 1;
}

void drop_further_ranges(Scenario& scenario) {
  impl::ClusterOptions& cluster = scenario.cluster;
  const auto is_further = [&](const Step& step) { return range_of(step) >= cluster.shards; };
  if (std::ranges::none_of(scenario.steps, is_further)) {
    cluster.shards_max = 0;
  }
}

void calm_cluster(std::size_t number, Scenario& scenario) {
  const impl::ClusterOptions usual;
  impl::ClusterOptions& cluster = scenario.cluster;
  switch (number) {
    case 0: cluster.moves_max = usual.moves_max; return;
    case 1: cluster.catch_up = usual.catch_up; return;
    case 2: cluster.catch_up_rounds_max = usual.catch_up_rounds_max; return;
    case 3: cluster.moved_entry_cost = usual.moved_entry_cost; return;
    case 4:
      cluster.log_kept = usual.log_kept;
      cluster.log_max = usual.log_max;
      return;
    case 5: cluster.node_keys_max = usual.node_keys_max; return;
    case 6: cluster.lease_per = usual.lease_per; return;
    case 7: cluster.replicas = usual.replicas; return;
    case 8: cluster.held_back = usual.held_back; return;
    case 9: drop_further_movers(scenario); return;
    case 10: drop_further_ranges(scenario); return;
  }
}

}  // namespace

void calm_setting(std::size_t number, Scenario& scenario) {
  const sim::NetworkOptions usual;
  if (number == 11) {
    scenario.network.bytes_per_second = usual.bytes_per_second;
  } else if (number == 12) {
    scenario.network.delay = usual.delay;
  } else if (!scenario.system && !scenario.is_of_directory_alone) {
    calm_cluster(number, scenario);
  }
}

}  // namespace shardcheck::harness
