// Judges what routers ask of the directory and what they know: R3 (errors make no more reads than there is to learn)
// and R4 (bounded staleness).
//
// R3: reads that errors made a router start are at most its restarts, the grants that stale signals named to it, and
// those of its reads that went unanswered (and the changes of bounds, for one that reads single records); one is under
// way at a time, for a grant that a signal has named; a transient error starts none.
// R4: a router that follows the directory sends nothing under an older grant than one that was committed more than
// staleness_max ago, if since then no fault has struck the router, a member of the directory, or a message to either of
// them; and a missing answer starts no read.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

// `request` is the dense number of the request: the same one for all facts about it.
class RefreshMonitor {
 public:
  void reset(const Bounds& bounds);

  void on(const Hop& fact, std::uint32_t request, const MonitorContext& context);
  void on(const Answered& fact, std::uint32_t request, const MonitorContext& context);
  void on(const RefreshStarted& fact, const MonitorContext& context);
  void on(const RefreshEnded& fact, const MonitorContext& context);
  void on(const Restarted& fact, const MonitorContext& context);

 private:
  struct Reader {
    std::uint32_t reads = 0;  // that errors made it start
    std::uint32_t restarts = 0;
    std::uint32_t unanswered = 0;
    bool is_reading = false;
    std::vector<std::pair<ShardId, Epoch>> met;  // grants named by stale signals, each once
  };

  // Who refused a request because it had too much to do, until the request goes on.
  struct RefusedForLoad {
    NodeId by = kNoNode;
    Epoch epoch;  // that the request carried
  };

  void check_after_overload(const Hop& fact, std::uint32_t request, const MonitorContext& context);
  void check_count(Reader& reader, const RefreshStarted& fact, const MonitorContext& context) const;

  std::vector<Reader> readers_;                   // by node
  std::vector<std::uint16_t> request_via_;        // by request: the router that sent its last attempt
  std::vector<RefusedForLoad> refused_for_load_;  // by request
};

}  // namespace shardcheck
