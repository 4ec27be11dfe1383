// Judges what clients were told, a key at a time and in near linear time: M1 (no lost write), M2 (no resurrection), M3
// (no duplicate). It looks for plain contradictions that need no search; the general checker judges the whole (C1).
//
// M1 is judged at final reads, those invoked after Healed: a write is lost if it is not there in the end. A read before
// that which misses it is stale, which is for the general checker to say.
//
// Real time is the order of the facts: what returned before another was invoked precedes it. An operation of unknown
// outcome may have happened at any later time or never. Keys that mix registers, lists and counters, values written
// twice, and ranges that are reported lost are left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spec/dense_index.h"
#include "spec/monitor_context.h"

namespace shardcheck {

// `request` is the dense number of the request: the same one for all facts about it.
class HistoryMonitor {
 public:
  void reset(const Bounds& bounds);

  void on(const Invoked& fact, std::uint32_t request, const MonitorContext& context);
  void on(const Returned& fact, std::uint32_t request, const MonitorContext& context);
  // By an owner, then by those who follow it.
  void on(const Applied& fact, std::uint32_t request, const MonitorContext& context);
  void on_replicated(const Applied& fact, std::uint32_t request, const MonitorContext& context);
  void on(const RecordCommitted& fact);
  void on(const CopyRemoved& fact, const MonitorContext& context);

 private:
  using Moment = std::uint64_t;  // a count of invocations and returns; 0 is before all
  static constexpr Moment kNever = ~Moment{0};

  struct Request {
    Operation operation;
    RequestId id;
    // What was acknowledged on the key when this operation began.
    Moment invoked = 0;
    Moment put_floor = 0;     // the latest beginning of an acknowledged write
    Moment remove_floor = 0;  // the latest beginning of an acknowledged delete
    std::uint32_t increments_floor = 0;
    std::uint32_t written = DenseIndex::kAbsent;  // its entry in written_
    bool is_running = false;                      // invoked, not returned
    bool is_final = false;                        // invoked after Healed
    TrueTime invoked_at{};
    TrueTime acknowledged_at{};  // if it is
  };
  // A value or a list item that some request may have written.
  struct Written {
    Moment begin = 0;
    Moment end = kNever;  // of its acknowledgement
    RequestId request;
  };
  struct KeyState {
    std::uint8_t kinds = 0;     // of operations seen, as bits
    bool is_ambiguous = false;  // some value was written by two requests, or an odd kind of value was
    Moment put_floor = 0;
    Moment remove_floor = 0;
    Moment remove_end = 0;           // the latest end of an acknowledged delete
    std::uint32_t open_removes = 0;  // deletes that may take effect yet: running, or of unknown outcome
    std::uint32_t increments_acked = 0;
    std::uint32_t increments_possible = 0;
    std::vector<std::uint32_t> required;  // acknowledged list items that no delete explains away
    std::vector<std::uint32_t> numbers;   // counters: which request each number was returned to, counted from 1
    Value longest;                        // lists: the longest one read
  };
  struct AppliedOnce {
    Version version;
    NodeId by = kNoNode;
    std::uint32_t disk_losses = 0;
    bool is_set = false;
    Key key{};
    NodeSet followers{};  // that have it in their copy of the owner's log
  };

  // In words, for violations.
  const Request* request_of(RequestId id) const;
  const Request* request_begun(Moment moment) const;
  std::string read_words(const Request& request) const;
  std::string acknowledged_words(const Request* request, std::string_view did) const;

  KeyState* key_state(Key key);
  std::uint32_t find_written(Key key, const Value& value) const;
  void acknowledge(const Request& request, KeyState& key);
  void check_register(const Request& request, const KeyState& key, const Value& seen, const MonitorContext& context);
  void check_absent(const Request& request, const KeyState& key, const MonitorContext& context);
  void check_list(const Request& request, KeyState& key, const Value& seen, const MonitorContext& context);
  void check_list_is_whole(const Request& request, KeyState& key, const Value& seen, const MonitorContext& context);
  void check_list_items(const Request& request, const KeyState& key, const Value& seen, const MonitorContext& context);
  void check_list_order(const Request& request, KeyState& key, const Value& seen, const MonitorContext& context);
  void check_counter(std::uint32_t number, KeyState& key, const Value& seen, const MonitorContext& context);

  KeyRange key_space_;
  Moment now_ = 0;
  std::vector<Request> requests_;
  std::vector<AppliedOnce> applied_;
  std::vector<KeyState> keys_;
  std::vector<Key> touched_;
  DenseIndex written_index_;  // (key, value) to written_
  std::vector<Written> written_;
};

}  // namespace shardcheck
