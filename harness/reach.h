// What a campaign really visited: which fault struck which participant of a move while it was in which phase (X2). A
// cell that cannot be visited has a reason.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "spec/observation.h"
#include "spec/system.h"

namespace shardcheck::harness {

// Who is struck, seen from one move: a storage node that is neither source nor target is a bystander.
enum class Participant : std::uint8_t { directory, source, target, bystander, router, mover };
inline constexpr std::size_t kParticipants = 6;
std::string_view name_of(Participant participant);
Participant participant_of(NodeId process, ProcessRole role, const ShardRecord& record);

struct ReachCell {
  MovePhase phase = MovePhase::none;
  FaultKind fault = FaultKind::delayed;
  Participant participant = Participant::directory;

  friend bool operator==(const ReachCell&, const ReachCell&) = default;
};
inline constexpr std::size_t kReachCells = kMovePhases * kFaultKinds * kParticipants;
ReachCell reach_cell(std::size_t index);
// "crashed at the target in phase copying"
std::string to_string(const ReachCell& cell);
// Why the reference never visits a cell; empty: it can.
std::string_view why_unreachable(const ReachCell& cell);

class Reach {
 public:
  void note(const ReachCell& cell) { cells_.set(index_of(cell)); }
  bool has(const ReachCell& cell) const { return cells_.test(index_of(cell)); }
  // Struck anybody.
  bool has(MovePhase phase, FaultKind fault) const { return participants(phase, fault) != 0; }
  std::size_t participants(MovePhase phase, FaultKind fault) const;
  std::size_t count() const { return cells_.count(); }
  Reach& operator|=(const Reach& other) {
    cells_ |= other.cells_;
    return *this;
  }
  const std::bitset<kReachCells>& cells() const { return cells_; }
  friend bool operator==(const Reach&, const Reach&) = default;

 private:
  static std::size_t index_of(const ReachCell& cell) {
    return (static_cast<std::size_t>(cell.phase) * kFaultKinds + static_cast<std::size_t>(cell.fault)) * kParticipants +
           static_cast<std::size_t>(cell.participant);
  }

  std::bitset<kReachCells> cells_;
};

// How many cells can be visited, in all and of one pair.
std::size_t reachable_cells();
std::size_t reachable_participants(MovePhase phase, FaultKind fault);

}  // namespace shardcheck::harness
