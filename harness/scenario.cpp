#include "harness/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "harness/describe.h"
#include "harness/exact_time.h"
#include "harness/moves_line.h"
#include "impl/messages.h"

namespace shardcheck::harness {
namespace {

std::string operation_text(const Operation& operation) {
  const std::string head = fmt::format("{} {}", name_of(operation.kind), operation.key.value);
  switch (operation.kind) {
    case OperationKind::read:
    case OperationKind::remove:
    case OperationKind::increment: return head;
    case OperationKind::scan: return head + " " + std::to_string(keys_of(operation).hi.value);
    case OperationKind::write:
    case OperationKind::append: return head + " " + to_string(operation.argument);
    case OperationKind::compare_and_set:
      return head + " " + to_string(operation.expected) + " " + to_string(operation.argument);
  }
  return head;
}

std::string deviation_text(const Scenario& scenario, const sim::Deviation& deviation) {
  const std::uint8_t kind = deviation.anchor.message_kind;
  const std::string_view message = scenario.system ? scenario.system->message_kinds[kind] : impl::name_of_kind(kind);
  const std::string on = fmt::format("on {} {} -> {} #{} {}", message, deviation.anchor.from.value,
                                     deviation.anchor.to.value, deviation.anchor.count, name_of(deviation.kind));
  const std::string time = exact_milliseconds(deviation.duration.value);
  switch (deviation.kind) {
    case FaultKind::dropped: return on;
    case FaultKind::lost_for_good: return on + fmt::format(" {}", name_of(deviation.moment));
    case FaultKind::delayed:
    case FaultKind::duplicated: return on + " " + time;
    case FaultKind::held_until_phase:
      return on + " " + std::string(name_of(static_cast<MovePhase>(deviation.until_signal)));
    case FaultKind::link_cut: return on + (deviation.is_both_ways ? " both_ways " : " one_way ") + time;
    case FaultKind::crashed:
      return on + fmt::format(" {} {} kept {}", name_of(deviation.moment), time, deviation.kept_unsynced) +
             (deviation.torn == 0 ? "" : fmt::format(" torn {}", deviation.torn));
    case FaultKind::disk_lost:
    case FaultKind::paused:
    case FaultKind::clock_shifted: return on + fmt::format(" {} {}", name_of(deviation.moment), time);
  }
  return on;
}

std::string make_up_text(const ForeignSystem& system) {
  return fmt::format("system {} processes {} clients {} shards {} keys {} {}\nmessages {}\n", system.name,
                     system.processes, system.clients, system.shards, system.key_space.lo.value,
                     system.key_space.hi.value, fmt::join(system.message_kinds, " "));
}

std::string make_up_text(const impl::ClusterOptions& cluster) {
  std::string text = fmt::format("cluster storage_nodes {} routers {} clients {} shards {} keys {}",
                                 cluster.storage_nodes, cluster.routers, cluster.clients, cluster.shards, cluster.keys);
  if (cluster.directories != 1) {
    text += fmt::format(" directories {}", cluster.directories);
  }
  text += "\n";
  if (cluster.shards_max != 0) {
    text += fmt::format("shards_max {}\n", cluster.shards_max);
  }
  const auto kinds = std::span(cluster.router_kinds).first(cluster.routers);
  if (std::ranges::any_of(kinds, [](impl::RouterKind kind) { return kind != impl::RouterKind::client_cache; })) {
    text += "router_kinds";
    for (const impl::RouterKind kind : kinds) {
      text += fmt::format(" {}", name_of(kind));
    }
    text += "\n";
  }
  text += moves_line(cluster);
  if (cluster.replicas != 1) {
    text += fmt::format("replicas {}\n", cluster.replicas);
  }
  if (cluster.held_back != 0) {
    text += fmt::format("held_back {}\n", cluster.held_back);
  }
  if (cluster.lease_per == impl::LeasePer::node) {
    text += "leases node\n";
  }
  if (cluster.unanswered_max != 0) {
    text += fmt::format("unanswered_max {}\n", cluster.unanswered_max);
  }
  if (cluster.mutant != impl::Mutant::none) {
    text += fmt::format("mutant {}\n", impl::row_of(cluster.mutant).name);
  }
  return text;
}

}  // namespace

std::string to_text(const Step& step) {
  const std::string at = fmt::format("at {} ", exact_milliseconds(step.at.value));
  if (const auto* client = std::get_if<ClientStep>(&step.what)) {
    return at + fmt::format("client {} request {} {}", client->request.client.value, client->request.sequence,
                            operation_text(client->operation));
  }
  if (const auto* move = std::get_if<MoveStep>(&step.what)) {
    std::string text = at + fmt::format("move range {} to node {}", move->shard.value, move->target.value);
    if (move->how.mode != MoveMode::copy_and_catch_up) {
      text += fmt::format(" mode {}", name_of(move->how.mode));
    }
    return move->how.forwards ? text + " forwarding" : text;
  }
  if (const auto* split = std::get_if<SplitStep>(&step.what)) {
    return at + fmt::format("split range {} at {}", split->shard.value, split->at.value);
  }
  if (const auto* merge = std::get_if<MergeStep>(&step.what)) {
    return at + fmt::format("merge range {}", merge->shard.value);
  }
  if (const auto* metadata = std::get_if<MetadataSplitStep>(&step.what)) {
    return at + fmt::format("split_metadata {}", metadata->at.value);
  }
  if (const auto* join = std::get_if<JoinStep>(&step.what)) {
    return at + fmt::format("join node {}", join->node.value);
  }
  if (const auto* leave = std::get_if<LeaveStep>(&step.what)) {
    return at + fmt::format("leave node {}{}", leave->node.value, leave->is_at_once ? " at_once" : "");
  }
  const auto& fault = std::get<FaultStep>(step.what);
  std::string text = at + fmt::format("fault {} {}", name_of(fault.kind), fault.process.value);
  if (fault.kind == FaultKind::lost_for_good) {
    return text;
  }
  if (fault.kind == FaultKind::link_cut) {
    text += fmt::format(" {}", fault.peer.value);
  }
  return text + " for " + exact_milliseconds(fault.duration.value);
}

std::string to_text(const Scenario& scenario) {
  std::string text = "scenario 1\n";
  text += scenario.system ? make_up_text(*scenario.system) : make_up_text(scenario.cluster);
  text += scenario.is_of_directory_alone ? "alone directory\n" : "";
  text +=
      fmt::format("network delay {} variety {} bytes_per_second {}", exact_milliseconds(scenario.network.delay.value),
                  scenario.network.variety, scenario.network.bytes_per_second);
  text += scenario.network.inbox_max == 0 ? "\n" : fmt::format(" inbox_max {}\n", scenario.network.inbox_max);
  for (const ClockSetting& clock : scenario.clocks) {
    text += fmt::format("clock {} offset {} drift_ppm {}", clock.process.value, exact_milliseconds(clock.offset.value),
                        clock.drift_ppm);
    for (const sim::DriftChange& change : clock.changes) {
      text += fmt::format(" then {} {}", exact_milliseconds(change.at.value), change.drift_ppm);
    }
    text += "\n";
  }
  for (const Step& step : scenario.steps) {
    text += to_text(step) + "\n";
  }
  for (const sim::Deviation& deviation : scenario.deviations) {
    text += deviation_text(scenario, deviation) + "\n";
  }
  return text;
}

}  // namespace shardcheck::harness
