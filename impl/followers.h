// What the owner of a range knows of those who keep a copy of its log: the other members of the replica set, and who
// joins it. Known only as long as the owner runs; it asks anew after a restart or a grant.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "spec/observation.h"
#include "spec/types.h"

namespace shardcheck::impl {

struct Follower {
  NodeId node = kNoNode;
  DirectoryPosition join;   // of who joins; 0: a member
  bool is_counted = false;  // effects wait for it
  bool is_leaving = false;  // it said that it is to be replaced
  bool is_agreed = false;   // it said under this grant that its content is ours up to `acknowledged`
  bool is_probed = false;   // it is to say that it is there
  std::uint8_t tries = 0;   // since it answered last
  LogPosition acknowledged;
  LogPosition sent;
};

class Followers {
 public:
  static constexpr std::size_t kMax = 4;

  // Keeps what is known of those who stay. A member is always counted. Who joins is from the moment at which it
  // follows, or (`counts_joiner`) at once: before a restart it may have been proposed as a member, and that proposal
  // may still be on its way.
  void follow(const ShardRecord& record, NodeId self, bool counts_joiner) {
    std::array<Follower, kMax> kept{};
    std::size_t count = 0;
    const auto keep = [&](NodeId node, DirectoryPosition join) {
      if (node == self || node == kNoNode || count == kMax) {
        return;
      }
      Follower& it = kept[count++];
      const Follower* known = find(node);
      // Who was admitted is the same as before; who joins anew is not.
      const bool is_same = known != nullptr && (join == DirectoryPosition{} || join == known->join);
      it = is_same ? *known : Follower{};
      it.node = node;
      it.join = join;
      it.is_counted = it.is_counted || join == DirectoryPosition{} || counts_joiner;
    };
    record.members.for_each([&](NodeId member) { keep(member, DirectoryPosition{}); });
    keep(record.joining, record.join);
    all_ = kept;
    count_ = count;
  }
  void forget() { count_ = 0; }

  std::span<Follower> all() { return {all_.data(), count_}; }
  std::span<const Follower> all() const { return {all_.data(), count_}; }
  Follower* find(NodeId node) {
    for (Follower& it : all()) {
      if (it.node == node) {
        return &it;
      }
    }
    return nullptr;
  }

  // Does everyone that counts have the log up to `position`?
  bool have(LogPosition position) const {
    for (const Follower& it : all()) {
      if (it.is_counted && !(it.is_agreed && position <= it.acknowledged)) {
        return false;
      }
    }
    return true;
  }

  // From which position on the log is kept for them, `most` at the latest: all that is after what they are known to
  // have.
  LogPosition need_after(LogPosition most) const {
    for (const Follower& it : all()) {
      const bool needs_log = it.is_counted || it.acknowledged != LogPosition{};
      most = needs_log ? std::min(most, it.acknowledged) : most;
    }
    return most;
  }

 private:
  std::array<Follower, kMax> all_{};
  std::size_t count_ = 0;
};

}  // namespace shardcheck::impl
