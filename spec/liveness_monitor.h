// Judges what must happen once faults are over: V1 (every range serves again) and V2 (every move is over), in bounded
// virtual time after Healed.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

// `request` is the dense number of the request: the same one for all facts about it.
class LivenessMonitor {
 public:
  void reset() { requests_.clear(); }

  void on(const Invoked& fact, std::uint32_t request, const MonitorContext& context);
  void on(const Returned& fact, std::uint32_t request, const MonitorContext& context);
  void finish(const MonitorContext& context) const;

 private:
  struct Request {
    std::uint32_t number;
    RequestId id;
    KeyRange keys;
    OperationKind kind;
    TrueTime invoked_at;
  };

  static bool has_lost_key(const Request& asked, const MonitorContext& context);
  void finish_moves(TrueTime healed_at, const MonitorContext& context) const;

  std::vector<Request> requests_;  // invoked after Healed and not yet returned
};

}  // namespace shardcheck
