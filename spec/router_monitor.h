// Judges routers and the signals they follow: D4 (a map never goes back and is never invented), R1 (the error
// contract), R2 (bounded redirects). What routers ask of the directory is RefreshMonitor's.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

// `request` is the dense number of the request: the same one for all facts about it.
class RouterMonitor {
 public:
  void reset(const Bounds& bounds);

  void on(const RouterLearned& fact, const MonitorContext& context);
  void on(const Hop& fact, std::uint32_t request, const MonitorContext& context);
  void on(const Served& fact, std::uint32_t request, const MonitorContext& context);
  void on(const Answered& fact, std::uint32_t request, const MonitorContext& context);
  void on(const Applied& fact, std::uint32_t request, const MonitorContext& context);
  void on(const Invoked& fact, std::uint32_t request);
  void on(const Returned& fact, std::uint32_t request, const MonitorContext& context);
  void on(const CopyRemoved& fact, const MonitorContext& context);
  void on(const Restarted& fact, const MonitorContext& context);

 private:
  // What a router knows of one key, in the incarnation that `generation` names.
  struct Knowledge {
    std::uint32_t generation = 0;
    Epoch epoch;
    DirectoryPosition known_at;
  };
  // Sets of attempts are bit masks over their numbers; of attempts from the 64th on nothing is remembered.
  struct Request {
    std::uint64_t sent = 0;
    std::uint64_t served = 0;
    std::uint64_t refused = 0;  // stale_epoch or not_owner
    std::uint64_t applied = 0;  // where the cluster tells which attempt it was
    NodeId applied_by = kNoNode;
    std::uint32_t disk_losses = 0;       // of applied_by, at that time
    std::uint64_t redirect_targets = 0;  // nodes below 64 named by not_owner answers
    Epoch not_owner_epoch_min;           // of the requests they answered
    Epoch carried_max;
    std::uint32_t served_generation = 0;  // of the copy, when it was last served
    std::uint16_t redirects = 0;          // redirected or stale hops since carried_max grew
    OperationKind kind = OperationKind::read;
    bool is_invoked = false;
    bool is_returned_refused = false;
    bool had_stale = false;
    bool had_not_owner = false;
    bool had_transient = false;
  };

  Request& state(std::uint32_t request) {
    if (request >= requests_.size()) {
      requests_.resize(request + 1);
    }
    return requests_[request];
  }
  void check_signal(const Answered& fact, const MonitorContext& context) const;
  void check_redirect(const Answered& fact, const MonitorContext& context) const;
  void check_not_applied(const Answered& fact, const Request& state, const MonitorContext& context) const;
  void check_cause(const Hop& fact, const Request& state, const MonitorContext& context) const;

  KeyRange key_space_;
  std::size_t keys_ = 0;
  std::size_t shards_ = 0;
  std::vector<Knowledge> knowledge_;            // by node, then key; kept over resets, because generations never repeat
  std::vector<std::uint32_t> generations_;      // by node
  std::vector<std::uint32_t> copies_given_up_;  // by node, then shard: removed or lost with the disk
  std::uint32_t last_generation_ = 0;
  std::vector<Request> requests_;
  bool has_served_ = false;  // this cluster tells its effects
};

}  // namespace shardcheck
