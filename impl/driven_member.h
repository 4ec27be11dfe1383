// A member of a replica set as tests drive it: a storage node that talks to another one.
#pragma once

#include <optional>

#include "impl/driven.h"
#include "impl/storage_node.h"

namespace shardcheck::impl {

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
