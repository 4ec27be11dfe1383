#include "harness/describe.h"

#include <fmt/format.h>

namespace shardcheck::harness {
namespace {

std::string milliseconds_text(Duration duration) {
  return fmt::format("{:.3g} ms", static_cast<double>(duration.value) / 1e6);
}

std::string ordinal(std::uint32_t number) {
  const std::uint32_t tens = number % 100;
  const char* suffix = "th";
  if (tens < 11 || tens > 13) {
    suffix = number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : number % 10 == 3 ? "rd" : "th";
  }
  return fmt::format("{}{}", number, suffix);
}

std::string moment_text(const impl::ClusterOptions& cluster, const sim::Deviation& deviation) {
  const std::string from = describe_process(cluster, deviation.anchor.from);
  const std::string to = describe_process(cluster, deviation.anchor.to);
  switch (deviation.moment) {
    case sim::Moment::after_sending: return from + " after sending";
    case sim::Moment::before_receiving: return to + " before receiving";
    case sim::Moment::after_receiving: return to + " after receiving";
  }
  return "";
}

}  // namespace

std::string describe_process(const impl::ClusterOptions& cluster, NodeId id) {
  const impl::Roles roles(cluster);
  if (id == kNoNode) {
    return "outside";
  }
  if (id == roles.directory()) {
    return "directory";
  }
  if (id == roles.mover()) {
    return "mover";
  }
  return fmt::format("{} {}", roles.is_storage(id) ? "node" : "router", id.value);
}

std::string describe(const impl::ClusterOptions& cluster, const sim::Deviation& deviation) {
  const std::string message = fmt::format(
      "the {} {} from {} to {}", ordinal(deviation.anchor.count + 1), impl::name_of_kind(deviation.anchor.message_kind),
      describe_process(cluster, deviation.anchor.from), describe_process(cluster, deviation.anchor.to));
  const std::string time = milliseconds_text(deviation.duration);
  switch (deviation.kind) {
    case FaultKind::delayed: return fmt::format("{} is delayed by {}", message, time);
    case FaultKind::held_until_phase:
      return fmt::format("{} is held back until a move is {}", message,
                         name_of(static_cast<MovePhase>(deviation.until_signal)));
    case FaultKind::dropped: return fmt::format("{} is lost", message);
    case FaultKind::duplicated: return fmt::format("{} arrives again {} later", message, time);
    case FaultKind::link_cut:
      return fmt::format("with {} the link is cut{} for {}", message, deviation.is_both_ways ? " both ways" : "", time);
    case FaultKind::crashed:
      return fmt::format("{} {} crashes, and restarts after {}", moment_text(cluster, deviation), message, time);
    case FaultKind::disk_lost:
      return fmt::format("{} {} loses its disk, and restarts after {}", moment_text(cluster, deviation), message, time);
    case FaultKind::paused: return fmt::format("{} {} pauses for {}", moment_text(cluster, deviation), message, time);
    case FaultKind::clock_shifted:
      return fmt::format("{} {} has its clock shifted to {}", moment_text(cluster, deviation), message, time);
  }
  return "";
}

std::string describe(const impl::ClusterOptions& cluster, const sim::TraceEvent<impl::Protocol>& event) {
  using Kind = sim::TraceEvent<impl::Protocol>::Kind;
  const std::string process = describe_process(cluster, event.process);
  const std::string peer = describe_process(cluster, event.peer);
  switch (event.kind) {
    case Kind::sent: return fmt::format("{} -> {}: {}", process, peer, impl::to_string(*event.message));
    case Kind::delivered: return fmt::format("{} <- {}: {}", process, peer, impl::to_string(*event.message));
    case Kind::lost: return fmt::format("{} x- {}: {}", process, peer, impl::to_string(*event.message));
    case Kind::timer: return fmt::format("{} timer", process);
    case Kind::synced: return fmt::format("{} disk synced", process);
    case Kind::started: return fmt::format("{} starts", process);
    case Kind::fault: return fmt::format("FAULT {}", describe(cluster, *event.fault));
  }
  return "";
}

}  // namespace shardcheck::harness
