// What clients and operators ask of a system: drawn from Choices, for any System. It needs to know the system's key
// space and what can be asked of it, and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/choices.h"
#include "spec/operation.h"
#include "spec/system.h"

namespace shardcheck::harness {

// Sequences leave room between them, so that ids derived from one request never meet those of the next.
inline constexpr std::uint32_t kSequenceStep = 16;
// What a client asks for at the end of a run has the sequence after that of its last step, and so on.
constexpr std::uint32_t sequence_after(std::uint32_t last) { return (last / kSequenceStep + 1) * kSequenceStep; }

struct WorkloadShape {
  std::uint16_t clients = 0;
  KeyRange key_space;
  // Operations crowd in one of these at a time. Where ranges move they are those ranges, by ShardId. At least one.
  std::vector<KeyRange> ranges;
  std::vector<NodeId> move_targets;  // by ring order; empty: nothing moves
  std::uint16_t shards_max = 0;      // as many ranges as splits may make of them; 0: nothing is split or merged
  bool has_move_options = false;     // moves may be asked for with any MoveOptions
  std::array<bool, kOperationKinds> is_supported{};  // by OperationKind; read and write must be
  bool has_bursts = false;                           // now and then all clients ask at once
  bool has_metadata = false;                         // metadata shards can be split where a range begins
};

// Every range in pieces of four keys, for systems of which no ranges are known.
std::vector<KeyRange> in_fours(KeyRange key_space);

// In order of time. All answers 0 give the shortest plan.
std::vector<Step> draw_workload(sim::Choices& choices, const WorkloadShape& shape);

// What the workload keeps under a key: decided by the key alone, so that every operation on it means something. Where
// an operation is not supported, the keys of its use are registers.
enum class KeyUse : std::uint8_t { registers, list, counter, compare_and_set };
constexpr KeyUse use_of(Key key) { return static_cast<KeyUse>(key.value % 4); }

}  // namespace shardcheck::harness
