// Judges what must happen once faults are over: V1 (every range serves again) and V2 (every move is over), in bounded
// virtual time after Healed.
//
// Who is lost for good brings back no range whose every copy it had, and answers nothing that a decided move asks for:
// these may wait for ever. Everything else may not: a range with one copy left is served, and a move is decided.
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

  static bool is_out_of_reach(const Request& asked, const MonitorContext& context);
  static bool may_wait(const ShardRecord& record, const MonitorContext& context);
  void finish_moves(TrueTime healed_at, const MonitorContext& context) const;

  std::vector<Request> requests_;  // invoked after Healed and not yet returned
};

}  // namespace shardcheck
