// Judges scans: S1 (each live key of the interval exactly once). Two questions, a key at a time and in near linear
// time:
//
//   while clients write   a key that was there when the scan began, and that nobody has asked to delete since, must be
//                         shown; one that was absent, and that nobody has asked to write, must not
//   at rest               what the last reads of all keys showed, the scan must show
//
// A key "was there" when a write of it had been acknowledged and no delete can have followed; absent, when it was never
// written, or a delete had been acknowledged and no write can have followed. An operation of unknown outcome may take
// effect at any later time, so it leaves its key undecided, until a read at rest decides it: one after Healed, with
// nothing applied to the key since.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/monitor_context.h"

namespace shardcheck {

// `request` is the dense number of the request: the same one for all facts about it.
class ScanMonitor {
 public:
  void reset(const Bounds& bounds);

  void on(const Invoked& fact, std::uint32_t request, const MonitorContext& context);
  void on(const Returned& fact, std::uint32_t request, const MonitorContext& context);
  void on(const Applied& fact);

 private:
  using Moment = std::uint64_t;  // a count of invocations and returns; 0 is before all
  enum class Presence : std::uint8_t { undecided, present, absent };

  struct KeyState {
    // Of operations that may add or remove the key: how many may take effect yet, and when the last others ended.
    std::uint32_t open_puts = 0;
    std::uint32_t open_removes = 0;
    Moment put_end = 0;
    Moment remove_end = 0;
    Moment put_begin_max = 0;     // of acknowledged ones
    Moment remove_begin_max = 0;  // of acknowledged ones
    Moment last_put = 0;          // when one last began or was applied
    Moment last_remove = 0;
    Moment last_applied = 0;
    Moment read_at = 0;  // when the last read at rest began
    Presence read = Presence::undecided;
  };
  struct Request {
    Operation operation;
    Moment begun = 0;
    bool is_running = false;
    bool is_at_rest = false;            // invoked after Healed
    std::vector<Presence> expectation;  // of a scan, by key from the lower end
  };

  KeyState* key_state(Key key);
  Presence presence_of(const KeyState& key) const;
  void begin_scan(Request& scan);
  void end_scan(const Request& scan, const Returned& fact, const MonitorContext& context);
  void end_operation(const Request& done, const Returned& fact, KeyState& key);
  void check_key(Key key, const Request& scan, const Returned& fact, const MonitorContext& context);

  KeyRange key_space_;
  Moment now_ = 0;
  bool has_scans_ = false;  // nothing is kept for clusters that answer none
  std::vector<KeyState> keys_;
  std::vector<Request> requests_;
};

}  // namespace shardcheck
