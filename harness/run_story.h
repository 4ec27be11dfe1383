// What was done to a cluster in a run and what became of it, as lines of the nemesis for its history: operators' steps,
// faults and when they ended, moves from beginning to end, changes of owners, and what was violated. What lasts begins
// and ends in words that pictures know (histories/picture_bands.h).
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "harness/describe.h"
#include "harness/trace_sink.h"
#include "histories/history.h"
#include "spec/violation.h"

namespace shardcheck::harness {

// Handed to a run as its trace, it keeps what happened, and passes the trace on, if that is wanted.
class RunStory final : public TraceSink {
 public:
  // `scenario` must outlive this object.
  explicit RunStory(const Scenario& scenario, TraceSink* next = nullptr);

  void line(TrueTime at, const std::string& text) override;
  void struck(TrueTime at, NodeId process, const sim::Deviation& deviation, const std::string& part) override;
  void happened(const Observed& observed) override;

  // The history of that run, which has no lines of the nemesis yet, with them between its operations; lines are
  // numbered anew. Scans are not part of it, as ever: they are about many keys.
  histories::History told_with(const histories::History& history, const std::vector<Violation>& violations) const;

 private:
  struct Event {
    TrueTime at;
    std::string what;
    std::size_t order = 0;  // of events at one time
  };
  // Something that goes on.
  struct Lasting {
    NodeId process;
    std::string end;  // how that is told
    TrueTime until;   // unless all faults end before
    FaultKind kind;

    // Over when the process restarts, whenever that is.
    bool is_outage() const { return kind == FaultKind::crashed || kind == FaultKind::disk_lost; }
  };

  void tell(TrueTime at, std::string what) { events_.push_back({at, std::move(what), 0}); }
  template <class Predicate>
  void end(TrueTime at, Predicate is_over);
  void end_due(TrueTime now);
  std::vector<Event> events_until(TrueTime last, const std::vector<Violation>& violations) const;
  void tell_record(TrueTime at, const RecordCommitted& fact);

  const Scenario& scenario_;
  TraceSink* next_;
  Wording wording_;
  std::vector<Event> events_;
  std::vector<Lasting> lasting_;
  std::vector<std::string> moves_;  // by ShardId: how the move under way is called
};

}  // namespace shardcheck::harness
