#include "harness/reach.h"

#include <fmt/format.h>

namespace shardcheck::harness {

std::string_view name_of(Participant participant) {
  switch (participant) {
    case Participant::directory: return "directory";
    case Participant::source: return "source";
    case Participant::target: return "target";
    case Participant::bystander: return "bystander";
    case Participant::router: return "router";
    case Participant::mover: return "mover";
  }
  return "";
}

Participant participant_of(NodeId process, ProcessRole role, const ShardRecord& record) {
  switch (role) {
    case ProcessRole::directory: return Participant::directory;
    case ProcessRole::router: return Participant::router;
    case ProcessRole::mover: return Participant::mover;
    case ProcessRole::storage: break;
  }
  if (record.phase == MovePhase::none) {
    return Participant::bystander;
  }
  return process == record.source ? Participant::source
                                  : (process == record.target ? Participant::target : Participant::bystander);
}

ReachCell reach_cell(std::size_t index) {
  return {static_cast<MovePhase>(index / kParticipants / kFaultKinds),
          static_cast<FaultKind>(index / kParticipants % kFaultKinds), static_cast<Participant>(index % kParticipants)};
}

std::string to_string(const ReachCell& cell) {
  return fmt::format("{} at the {} in phase {}", name_of(cell.fault), name_of(cell.participant), name_of(cell.phase));
}

std::string_view why_unreachable(const ReachCell& cell) {
  const bool is_side = cell.participant == Participant::source || cell.participant == Participant::target;
  if (cell.phase == MovePhase::none && is_side) {
    return "a range in no move has no source and no target";
  }
  const bool has_data = is_side || cell.participant == Participant::bystander;
  if (cell.fault == FaultKind::disk_lost && !has_data) {
    return cell.participant == Participant::directory
               ? "what the directory decided is never lost: its disks are outside of the adversary's reach"
               : "it keeps nothing on a disk";
  }
  return "";
}

std::size_t Reach::participants(MovePhase phase, FaultKind fault) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kParticipants; ++i) {
    count += has({phase, fault, static_cast<Participant>(i)}) ? 1U : 0U;
  }
  return count;
}

std::size_t reachable_participants(MovePhase phase, FaultKind fault) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kParticipants; ++i) {
    count += why_unreachable({phase, fault, static_cast<Participant>(i)}).empty() ? 1U : 0U;
  }
  return count;
}

std::size_t reachable_cells() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kReachCells; ++i) {
    count += why_unreachable(reach_cell(i)).empty() ? 1U : 0U;
  }
  return count;
}

}  // namespace shardcheck::harness
