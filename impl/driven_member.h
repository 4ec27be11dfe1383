// A member of a replica set as tests drive it: a storage node that talks to another one.
#pragma once

#include <initializer_list>
#include <optional>

#include "impl/driven.h"
#include "impl/storage_node.h"

namespace shardcheck::impl {

// Range 0, [0, 4), with so many members at first, and three storage nodes, of which the last ones may be held back.
inline ClusterOptions three_nodes(std::uint16_t replicas, std::uint16_t held_back = 0) {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 3;
  options.held_back = held_back;
  options.routers = 1;
  options.clients = 2;
  options.shards = 1;
  options.replicas = replicas;
  options.keys = 4;
  return options;
}

// The record of range 0 with that owner and these members.
inline ShardRecord record_of(NodeId owner, std::initializer_list<NodeId> members, std::uint64_t epoch = 1) {
  ShardRecord record;
  record.shard = ShardId{0};
  record.range = {Key{0}, Key{4}};
  record.owner = owner;
  record.epoch = Epoch{epoch};
  record.lease_until = at_ms(60);
  for (const NodeId member : members) {
    record.members.insert(member);
  }
  return record;
}

class DrivenMember : public Driven<StorageNode> {
 public:
  DrivenMember(const ClusterOptions& options, NodeId self)
      : Driven(StorageNode(options, self), initial_disk(options, self)), self_(self) {}

  // Passes messages of this one, as the owner, and another between them, and makes everything durable, until nobody
  // says anything more.
  void talk_to(DrivenMember& other) {
    for (int turn = 0; turn < kTurnsMax && (pass<Replicate>(other) || pass<CopyPart>(other)); ++turn) {
      other.sync();
      other.pass<FollowerReport>(*this);
      sync();
    }
  }
  template <class Kind>
  bool pass(DrivenMember& other) {
    const std::optional<Kind> message = sent<Kind>();
    if (message) {
      other.receive(self_, *message);
    }
    return message.has_value();
  }

 private:
  static constexpr int kTurnsMax = 40;

  NodeId self_;
};

}  // namespace shardcheck::impl
