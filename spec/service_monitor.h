// Judges V4: what is not touched goes on. Judged where nothing is disturbed: no fault within `quiet_after`.
//
// An operation on a range that is in no move, and whose record does not change meanwhile, is served within
// `answer_within`, unless it is refused because its node has too much to do already. A range whose holder is alive, and
// still has the copy that it was granted, is not granted to anybody else because the directory was not there: with no
// other fault than crashes and pauses of the directory's processes there is no failover.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

// `request` is the dense number of the request: the same one for all facts about it.
class ServiceMonitor {
 public:
  void reset(const Bounds& bounds);

  void on(const FaultInjected& fact, const MonitorContext& context);
  void on(const RecordCommitted& fact, const MonitorContext& context);
  void on(const Answered& fact, std::uint32_t request);
  void on(const Invoked& fact, std::uint32_t request, const MonitorContext& context);
  void on(const Returned& fact, std::uint32_t request, const MonitorContext& context);

 private:
  struct Request {
    Operation operation;
    TrueTime invoked_at;
    bool is_running = false;
    bool was_refused_for_load = false;
  };

  void check_failover(const RecordCommitted& fact, const ShardRecord& before, const MonitorContext& context) const;
  static bool is_quiet(const std::optional<TrueTime>& last_fault, TrueTime since, const MonitorContext& context);

  std::vector<Request> requests_;
  std::vector<TrueTime> granted_at_;                   // by ShardId: of the present grant
  std::vector<std::optional<TrueTime>> disk_lost_at_;  // by node
  std::optional<TrueTime> last_stall_;                 // of the directory
  std::optional<TrueTime> last_fault_;                 // any other
};

}  // namespace shardcheck
