// How a cluster of the reference is made up: who plays which role, how the key space is cut, and every time that its
// protocol waits. Process ids are given out in order: the members of the directory, storage nodes, routers, movers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "impl/mutant.h"
#include "spec/assert.h"
#include "spec/observation.h"
#include "spec/types.h"

namespace shardcheck::impl {

inline constexpr std::uint16_t kDirectoriesMax = 5;
// What one renewal extends: the lease of one grant, or those of all grants of a node.
enum class LeasePer : std::uint8_t { range, node };

// How a router knows where an operation goes.
enum class RouterKind : std::uint8_t {
  client_cache,  // keeps a map, which begins empty; polls, and learns from signals
  routing_tier,  // keeps a map that the directory pushes changes to; catches up when it missed one, and polls
  direct_reads,  // reads the record of the key from the directory before each operation
  coordinator,   // asks any storage node, without an epoch, before each operation, and follows where it is sent
};
inline constexpr int kRouterKinds = 4;
constexpr std::string_view name_of(RouterKind kind) {
  switch (kind) {
    case RouterKind::client_cache: return "client_cache";
    case RouterKind::routing_tier: return "routing_tier";
    case RouterKind::direct_reads: return "direct_reads";
    case RouterKind::coordinator: return "coordinator";
  }
  return "";
}
inline constexpr std::size_t kRoutersMax = 16;

struct ClusterOptions {
  std::uint16_t directories = 3;  // members of the directory, an odd number
  std::uint16_t storage_nodes = 3;
  std::uint16_t routers = 2;
  std::uint16_t clients = 4;
  std::uint16_t shards = 3;      // that there are at the beginning
  std::uint16_t shards_max = 0;  // that there may ever be: each split takes a new id, and none is used again
  std::uint16_t replicas = 1;    // members of the replica set of every range, as far as there are storage nodes
  std::uint16_t held_back = 0;   // of the storage nodes the last ones: they refuse copies until they join
  std::uint32_t keys = 12;
  std::uint16_t movers = 1;
  std::uint16_t moves_max = 64;  // not yet switched, at one time; the directory refuses to begin more
  LeasePer lease_per = LeasePer::range;
  Mutant mutant = Mutant::none;
  std::array<RouterKind, kRoutersMax> router_kinds{};  // by router; those that do not exist are client_cache

  Duration clock_offset_max = milliseconds(2);     // every clock is within this of true time
  Duration lease_duration = milliseconds(60);      // from the sending of the request
  Duration retention = milliseconds(30);           // a source keeps its copy after it learnt of the switch
  Duration poll_interval = milliseconds(40);       // of everyone who follows the directory
  Duration attempt_timeout = milliseconds(8);      // of one attempt of a router
  Duration transient_backoff = milliseconds(3);    // before a router tries the same target again
  Duration order_timeout = milliseconds(12);       // of one order of the mover
  Duration fence_timeout = milliseconds(70);       // then the source proposes to abort
  Duration directory_patience = milliseconds(8);   // with a member of the directory that does not answer
  Duration heartbeat_interval = milliseconds(15);  // of the directory's leader
  Duration election_timeout = milliseconds(40);    // without a leader, before a member tries to become one
  Duration election_spread = milliseconds(12);     // one member waits so much longer than another
  Duration replicate_again = milliseconds(8);      // an owner repeats to a member what it did not acknowledge
  std::uint16_t log_entries_max = 24;              // of the directory, before a snapshot takes their place
  Duration mover_silence = milliseconds(50);       // then another mover takes over what a mover drove
  std::uint8_t attempts_max = 8;                   // of one request
  std::uint8_t orders_max = 6;                     // repeated so often without an answer, an order aborts its move
  std::uint8_t catch_up_rounds_max = 12;           // then the move gives up
  std::uint8_t replicate_tries_max = 4;            // unanswered so often, an owner asks for the member's removal
  std::uint8_t lag_at_fence_max = 2;               // entries still to replay when the source is asked to stop
  Duration dual_write_resend = milliseconds(4);    // what the target did not confirm is sent again
  Duration dual_write_timeout = milliseconds(40);  // then the source proposes to abort
  std::uint8_t dual_writes_ahead_max = 16;         // sent and not confirmed
  std::uint8_t dual_writes_staged_max = 64;        // kept by a target until its copy is complete
  std::uint8_t forwarded_max = 8;                  // requests that a target keeps for a range until it owns it

  // Operations that a storage node has admitted and not answered yet; with so many it refuses more. 0: it never does.
  std::uint16_t unanswered_max = 0;

  // Every ShardId is below this.
  constexpr std::uint16_t shard_ids() const { return std::max(shards, shards_max); }
  // What a move may cost.
  CatchUpDecision catch_up = CatchUpDecision::give_up;  // when writes outrun the replay for catch_up_rounds_max
  Duration moved_entry_cost = microseconds(6);          // of the work for one entry, at either side
  Duration throttle_gap = milliseconds(4);              // between two writes to a throttled range
  std::uint32_t pause_lag_max = 24;                     // entries: a longer pause is accepted for no more than these
  std::uint8_t splits_first_max = 2;                    // in a row, of ranges that a move is wanted of
  std::uint32_t log_kept = 1'000;                       // entries that an owner keeps at any rate
  std::uint32_t log_max = 4'000;                        // a longer log is trimmed even if a copy needs it
  std::uint8_t copies_max = 3;                          // begun so often, a copy whose log is trimmed is given up
  std::uint32_t node_keys_max = 0;                      // a node has room for the copies of so many keys; 0: of all

  friend bool operator==(const ClusterOptions&, const ClusterOptions&) = default;
};

// Who is who, from the options alone.
class Roles {
 public:
  explicit constexpr Roles(const ClusterOptions& options)
      : directories_(options.directories),
        storage_nodes_(options.storage_nodes),
        routers_(options.routers),
        movers_(options.movers) {}

  constexpr NodeId directory(std::uint16_t index) const { return at(0, index, directories_); }
  constexpr NodeId storage(std::uint16_t index) const { return at(directories_, index, storage_nodes_); }
  constexpr NodeId router(std::uint16_t index) const { return at(directories_ + storage_nodes_, index, routers_); }
  constexpr NodeId mover(std::uint16_t index) const {
    return at(directories_ + storage_nodes_ + routers_, index, movers_);
  }
  constexpr std::uint16_t processes() const {
    return static_cast<std::uint16_t>(directories_ + storage_nodes_ + routers_ + movers_);
  }
  constexpr std::uint16_t directories() const { return directories_; }
  constexpr std::uint16_t storage_nodes() const { return storage_nodes_; }
  constexpr std::uint16_t routers() const { return routers_; }
  constexpr std::uint16_t movers() const { return movers_; }
  constexpr bool is_directory(NodeId id) const { return id.value < directories_; }
  constexpr bool is_storage(NodeId id) const { return id >= storage(0) && id < router(0); }
  constexpr bool is_router(NodeId id) const { return id >= router(0) && id < mover(0); }
  constexpr bool is_mover(NodeId id) const { return id >= mover(0) && id.value < processes(); }
  // The mover that is asked to begin moves of a range. Any other may take them over.
  constexpr NodeId mover_of(ShardId shard) const { return mover(static_cast<std::uint16_t>(shard.value % movers_)); }
  constexpr std::uint16_t index_of_router(NodeId id) const {
    SHARDCHECK_ASSERT(is_router(id));
    return static_cast<std::uint16_t>(id.value - router(0).value);
  }
  // The router that a client always asks.
  constexpr NodeId router_of(ClientId client) const {
    return router(static_cast<std::uint16_t>(client.value % routers_));
  }

 private:
  static constexpr NodeId at(int first, std::uint16_t index, std::uint16_t count) {
    SHARDCHECK_ASSERT(index < count);
    return NodeId{static_cast<std::uint16_t>(first + index)};
  }

  std::uint16_t directories_;
  std::uint16_t storage_nodes_;
  std::uint16_t routers_;
  std::uint16_t movers_;
};

}  // namespace shardcheck::impl
