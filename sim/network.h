// The links between processes: how long a message travels, which links are cut, and how many messages of each kind
// went over each link. Every ordered pair of processes is a link of its own, served in order of sending.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/deviation.h"
#include "spec/assert.h"
#include "spec/types.h"

namespace shardcheck::sim {

struct NetworkOptions {
  Duration delay = microseconds(500);  // of an undisturbed message between two processes, the same process: none
  // Each link's delay is longer than `delay` by up to seven eighths of it, differently for each link when not 0.
  std::uint8_t variety = 0;
  std::int64_t bytes_per_second = 100'000'000;  // of one link
  // A message that arrives when so much waits for its receiver already is lost; 0: there is always room.
  std::uint16_t inbox_max = 0;

  friend bool operator==(const NetworkOptions&, const NetworkOptions&) = default;
};

class Network {
 public:
  void reset(const NetworkOptions& options, std::uint16_t processes, std::uint8_t message_kinds) {
    options_ = options;
    processes_ = processes;
    message_kinds_ = message_kinds;
    links_.assign(static_cast<std::size_t>(processes) * processes, Link{});
    sent_.assign(links_.size() * message_kinds, 0);
  }

  // Counts the message and says its anchor.
  Anchor count(std::uint8_t kind, NodeId from, NodeId to) {
    SHARDCHECK_ASSERT(kind < message_kinds_);
    return {kind, from, to, sent_[index_of(from, to) * message_kinds_ + kind]++};
  }

  // When a message of `bytes` sent now arrives if nothing is done to it; the link serves one message at a time.
  TrueTime arrival(NodeId from, NodeId to, std::int64_t bytes, TrueTime now) {
    if (from == to) {
      return now;
    }
    Link& link = links_[index_of(from, to)];
    const TrueTime begins = std::max(now, link.free_at);
    link.free_at = begins + nanoseconds(bytes * 1'000'000'000 / options_.bytes_per_second);
    const std::int64_t eighths = options_.variety == 0 ? 8 : 8 + (from.value * 3 + to.value * 5 + options_.variety) % 8;
    return link.free_at + options_.delay * eighths / 8;
  }

  bool is_cut(NodeId from, NodeId to, TrueTime now) const { return links_[index_of(from, to)].cut_until > now; }
  void cut(NodeId from, NodeId to, TrueTime until) {
    Link& link = links_[index_of(from, to)];
    link.cut_until = std::max(link.cut_until, until);
  }
  void heal() {
    for (Link& link : links_) {
      link.cut_until = TrueTime{};
    }
  }

 private:
  struct Link {
    TrueTime free_at;
    TrueTime cut_until;
  };

  std::size_t index_of(NodeId from, NodeId to) const {
    SHARDCHECK_ASSERT(from.value < processes_);
    SHARDCHECK_ASSERT(to.value < processes_);
    return static_cast<std::size_t>(from.value) * processes_ + to.value;
  }

  NetworkOptions options_;
  std::uint16_t processes_ = 0;
  std::uint8_t message_kinds_ = 0;
  std::vector<Link> links_;
  std::vector<std::uint32_t> sent_;
};

}  // namespace shardcheck::sim
