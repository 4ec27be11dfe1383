#include "harness/describe.h"

#include <fmt/format.h>

namespace shardcheck::harness {
namespace {

std::string milliseconds_text(Duration duration) {
  const double ms = static_cast<double>(duration.value) / 1e6;
  return ms >= 1'000 ? fmt::format("{:.0f} ms", ms) : fmt::format("{:.3g} ms", ms);
}

std::string ordinal(std::uint32_t number) {
  const std::uint32_t tens = number % 100;
  const char* suffix = "th";
  if (tens < 11 || tens > 13) {
    suffix = number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : number % 10 == 3 ? "rd" : "th";
  }
  return fmt::format("{}{}", number, suffix);
}

std::string moment_text(const Wording& wording, const sim::Deviation& deviation) {
  const std::string from = wording.process(deviation.anchor.from);
  const std::string to = wording.process(deviation.anchor.to);
  switch (deviation.moment) {
    case sim::Moment::after_sending: return from + " after sending";
    case sim::Moment::before_receiving: return to + " before receiving";
    case sim::Moment::after_receiving: return to + " after receiving";
  }
  return "";
}

std::string describe(const Wording& wording, const FaultStep& fault) {
  const std::string process = wording.process(fault.process);
  const std::string time = milliseconds_text(fault.duration);
  switch (fault.kind) {
    case FaultKind::crashed: return fmt::format("{} crashes, and restarts after {}", process, time);
    case FaultKind::disk_lost: return fmt::format("{} loses its disk, and restarts after {}", process, time);
    case FaultKind::paused: return fmt::format("{} pauses for {}", process, time);
    case FaultKind::lost_for_good: return fmt::format("{} is lost for good", process);
    case FaultKind::link_cut:
      return fault.peer == kNoNode
                 ? fmt::format("a link of {} is cut both ways for {}", process, time)
                 : fmt::format("the link between {} and {} is cut for {}", process, wording.process(fault.peer), time);
    case FaultKind::delayed:
    case FaultKind::held_until_phase:
    case FaultKind::dropped:
    case FaultKind::duplicated:
    case FaultKind::clock_shifted: break;
  }
  return fmt::format("{} of {} for {}", name_of(fault.kind), process, time);
}

// A message is held back until a move comes to a phase; `none` is what follows the last one.
std::string phase_text(std::uint8_t signal) {
  const auto phase = static_cast<MovePhase>(signal);
  return phase == MovePhase::none ? "a move is over" : fmt::format("a move is {}", name_of(phase));
}

std::string kept_text(std::uint8_t records) {
  return records == 0
             ? ""
             : fmt::format(", with {} unsynced record{} on its disk all the same", records, records == 1 ? "" : "s");
}

}  // namespace

std::string describe_process(const impl::ClusterOptions& cluster, NodeId id) {
  const impl::Roles roles(cluster);
  if (id == kNoNode) {
    return "a client or operator";
  }
  if (roles.is_directory(id)) {
    return roles.directories() == 1 ? "directory" : fmt::format("directory {}", id.value);
  }
  if (roles.is_mover(id) && roles.movers() == 1) {
    return "mover";
  }
  const char* role = roles.is_storage(id) ? "storage node" : roles.is_router(id) ? "router" : "mover";
  return fmt::format("{} {}", role, id.value);
}

Wording wording_of(const impl::ClusterOptions& cluster) {
  return {[cluster](NodeId id) { return describe_process(cluster, id); },
          [](std::uint8_t kind) { return std::string(impl::name_of_kind(kind)); }};
}

Wording wording_of(const ClusterShape& shape) {
  return {[names = shape.processes](NodeId id) {
            return id.value < names.size() ? names[id.value] : std::string("the clients");
          },
          [names = shape.message_kinds](std::uint8_t kind) {
            return kind < names.size() ? names[kind] : fmt::format("message of kind {}", kind);
          }};
}

Wording wording_of(const Scenario& scenario) {
  if (scenario.is_of_directory_alone) {
    Wording wording = wording_of(scenario.cluster);
    wording.process = [members = wording.process, count = scenario.cluster.directories,
                       end = scenario.cluster.directories + scenario.cluster.clients](NodeId id) {
      const bool is_client = id.value >= count && id.value < end;
      return is_client ? fmt::format("client {}", id.value - count) : members(id);
    };
    return wording;
  }
  if (!scenario.system) {
    return wording_of(scenario.cluster);
  }
  ClusterShape shape;
  for (int i = 0; i < scenario.system->processes; ++i) {
    shape.processes.push_back(fmt::format("process {}", i));
  }
  shape.message_kinds = scenario.system->message_kinds;
  return wording_of(shape);
}

std::string describe(const Wording& wording, const sim::Deviation& deviation) {
  const std::string message = fmt::format("the {} {} from {} to {}", ordinal(deviation.anchor.count + 1),
                                          wording.message_kind(deviation.anchor.message_kind),
                                          wording.process(deviation.anchor.from), wording.process(deviation.anchor.to));
  const std::string time = milliseconds_text(deviation.duration);
  switch (deviation.kind) {
    case FaultKind::delayed: return fmt::format("{} is delayed by {}", message, time);
    case FaultKind::held_until_phase:
      return fmt::format("{} is held back until {}", message, phase_text(deviation.until_signal));
    case FaultKind::dropped: return fmt::format("{} is lost", message);
    case FaultKind::duplicated: return fmt::format("{} arrives again {} later", message, time);
    case FaultKind::link_cut:
      return fmt::format("with {} the link is cut{} for {}", message,
                         deviation.is_both_ways ? " both ways" : " one way", time);
    case FaultKind::crashed:
      return fmt::format("{} {} crashes{}{}, and restarts after {}", moment_text(wording, deviation), message,
                         deviation.torn == 0 ? "" : ", leaving a torn record on its disk if it was writing one",
                         kept_text(deviation.kept_unsynced), time);
    case FaultKind::disk_lost:
      return fmt::format("{} {} loses its disk, and restarts after {}", moment_text(wording, deviation), message, time);
    case FaultKind::paused: return fmt::format("{} {} pauses for {}", moment_text(wording, deviation), message, time);
    case FaultKind::clock_shifted:
      return fmt::format("{} {} has its clock shifted to {}", moment_text(wording, deviation), message, time);
    case FaultKind::lost_for_good:
      return fmt::format("{} {} is lost for good", moment_text(wording, deviation), message);
  }
  return "";
}

std::string describe_strike(const Wording& wording, NodeId process, const sim::Deviation& deviation) {
  if (is_of_message(deviation)) {
    return describe(wording, deviation);
  }
  return describe(wording, FaultStep{deviation.kind, process, kNoNode, deviation.duration});
}

std::string describe(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::read:
    case OperationKind::remove:
    case OperationKind::increment: return fmt::format("{} of key {}", name_of(operation.kind), operation.key.value);
    case OperationKind::scan:
      return fmt::format("scan of keys {} to {}", operation.key.value, keys_of(operation).hi.value - 1);
    case OperationKind::write:
    case OperationKind::append:
      return fmt::format("{} of {} to key {}", name_of(operation.kind), to_string(operation.argument),
                         operation.key.value);
    case OperationKind::compare_and_set:
      return fmt::format("cas of key {} from {} to {}", operation.key.value, to_string(operation.expected),
                         to_string(operation.argument));
  }
  return "";
}

std::string describe(const Wording& wording, const Step& step) {
  if (const auto* client = std::get_if<ClientStep>(&step.what)) {
    return fmt::format("client {} asks for {} (request {})", client->request.client.value, describe(client->operation),
                       client->request.sequence);
  }
  if (const auto* move = std::get_if<MoveStep>(&step.what)) {
    return fmt::format("an operator moves range {} to {}{}{}", move->shard.value, wording.process(move->target),
                       move->how.mode == MoveMode::dual_write ? ", with dual writes" : "",
                       move->how.forwards ? ", forwarding after the fence" : "");
  }
  if (const auto* split = std::get_if<SplitStep>(&step.what)) {
    return fmt::format("an operator splits range {} at key {}", split->shard.value, split->at.value);
  }
  if (const auto* merge = std::get_if<MergeStep>(&step.what)) {
    return fmt::format("an operator merges range {} with its right neighbour", merge->shard.value);
  }
  if (const auto* metadata = std::get_if<MetadataSplitStep>(&step.what)) {
    return fmt::format("an operator splits the metadata shard of key {} there", metadata->at.value);
  }
  if (const auto* join = std::get_if<JoinStep>(&step.what)) {
    return fmt::format("{} joins", wording.process(join->node));
  }
  if (const auto* leave = std::get_if<LeaveStep>(&step.what)) {
    return fmt::format("{} is told to leave{}", wording.process(leave->node),
                       leave->is_at_once ? ", and stopped at once" : "");
  }
  return describe(wording, std::get<FaultStep>(step.what));
}

std::string describe(const Wording& wording, const ClockSetting& clock) {
  std::string text = fmt::format("the clock of {} is ahead by {} and gains {} us a second",
                                 wording.process(clock.process), milliseconds_text(clock.offset), clock.drift_ppm);
  for (const sim::DriftChange& change : clock.changes) {
    text += fmt::format(", {} from {} on", change.drift_ppm, milliseconds_text(change.at - TrueTime{}));
  }
  return text;
}

std::string describe(const impl::ClusterOptions& cluster, const sim::Deviation& deviation) {
  return describe(wording_of(cluster), deviation);
}

std::string describe(const impl::ClusterOptions& cluster, const sim::TraceEvent<impl::Protocol>& event) {
  return describe_event(wording_of(cluster), event, event.message == nullptr ? "" : impl::to_string(*event.message));
}

}  // namespace shardcheck::harness
