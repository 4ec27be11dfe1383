// The seam for a cluster of one's own, written as state machines over bytes: how many processes it has, how to make
// each, and how requests and answers are spelled. harness/adapters/cluster_system.h makes a System of it in the
// simulated world, with crashes, pauses, skewed clocks, lost and delayed messages, and disks that lose what was not
// synced.
//
//   class Store final : public shardcheck::ClusterProcess {
//     void handle(const ByteInput& input, Instant now, ByteOutputs& outputs) override {
//       if (const auto* received = std::get_if<Received<std::string>>(&input)) {
//         outputs.append(received->message);               // to the disk, volatile until synced
//         outputs.wants_sync = true;                       // a Synced input follows; answer then, not before
//         waiting_.push_back(received->message);
//       } ...
//     }
//   };
//   class MyCluster final : public shardcheck::Cluster { shape, make, encode, decode };
//
// Whole in examples/my_cluster. What must hold: a process decides from its state, its input and `now` alone; time is
// in nanoseconds on the process's own clock; the same inputs give the same outputs, bit by bit. What each operation
// does to a key is spec/key_model.h. Exceptions end the run, which is then undecided, never held.
//
// Clients are outside: their requests arrive as messages from kNoNode, and what is sent to kNoNode answers them. They
// send every request once and follow no redirects: a client that does is a process of the cluster, a router. Links to
// clients lose, delay and cut like all others; they repeat messages only if the shape says that they may.
//
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/observation.h"
#include "spec/process.h"
#include "spec/system.h"

namespace shardcheck {

using ByteInput = Input<std::string, std::string>;
using ByteOutputs = Outputs<std::string, std::string>;

class ClusterProcess {
 public:
  virtual ~ClusterProcess() = default;
  // `input` is valid during the call. `outputs` is empty; facts in outputs.observations are optional, and each kind
  // makes more clauses observable. What a process cannot know is done for it: `until` of ClaimChanged is an instant of
  // its own clock (as TrueTime{until.value}). It never tells Invoked, Returned, or faults.
  virtual void handle(const ByteInput& input, Instant now, ByteOutputs& outputs) = 0;
};

inline constexpr std::size_t kMessageKindsMax = 64;

// What the cluster is made of, and the bounds it promises. The same for the whole run.
struct ClusterShape {
  std::vector<std::string> processes;  // their names, by NodeId; one at least
  std::uint16_t clients = 4;           // one at least
  KeyRange key_space{Key{0}, Key{12}};
  std::vector<OperationKind> operations{OperationKind::read, OperationKind::write};  // asked for beside these: nothing

  // What kinds of messages are called, kMessageKindsMax at most. For people, and for faults: one is anchored at "the
  // 3rd reply from 1 to 0", and keeps its meaning while others are taken away.
  std::vector<std::string> message_kinds{"message"};

  // What the directory holds at the beginning, by ShardId, each with an epoch of its own from 1 on. Empty: nothing is
  // said of ranges, and no fact may name a shard.
  std::vector<ShardRecord> records;
  std::uint16_t shards_max = 0;       // facts name shards below this and those of `records`
  std::vector<NodeId> move_targets;   // to whom an operator may move a range of `records`; empty: ranges stay
  std::vector<NodeId> may_lose_disk;  // beside crashes, which may happen to everyone
  bool may_repeat_client_messages = false;
  // Of the first record that a crash loses a beginning may be left, as the last record found: a process must be able to
  // tell it from a whole one, by a length and a checksum, say. Not for clusters whose records stand for what their
  // storage has checked already.
  bool may_tear_records = true;

  Duration clock_offset_max = milliseconds(2);  // every clock is within this of true time
  Duration service_within = milliseconds(600);  // of the end of all faults: V1
  Duration move_within = milliseconds(900);     // V2
  Duration retention;                           // M9
};

struct Addressed {
  NodeId to;
  std::string bytes;
};
// An answer to a client. The two flags say that some attempt of the request was answered transient, or never.
struct ClusterReply {
  RequestId request;
  Outcome outcome;
  bool had_transient = false;
  bool had_unanswered = false;
};
// A factory, and the spelling of messages. All functions are pure: the same arguments give the same result.
class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual ClusterShape shape() const = 0;
  // A process before its first input, at every start: what it remembers of an earlier life comes with Started.
  virtual std::unique_ptr<ClusterProcess> make(NodeId process) const = 0;
  // What its disk holds before the first start, oldest first.
  virtual std::vector<std::string> initial_disk(NodeId) const { return {}; }

  virtual Addressed encode(const ClientStep& step) const = 0;
  // Of a message to kNoNode; nothing if it is no answer to a client.
  virtual std::optional<ClusterReply> decode(std::string_view bytes) const = 0;
  // An operator's wish; nothing if the cluster knows no moves.
  virtual std::optional<Addressed> encode_move(const MoveStep&) const { return std::nullopt; }
  // Of any message: its place in ClusterShape::message_kinds.
  virtual std::uint8_t kind_of(std::string_view) const { return 0; }
};

}  // namespace shardcheck
