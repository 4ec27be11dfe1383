// The facts of a run in a trace: what no message shows, such as who serves which range until when, what the directory
// committed, and which copies begin and go; and which part in a move a fault struck.
#pragma once

#include <string>
#include <vector>

#include "harness/describe.h"
#include "harness/trace_sink.h"
#include "spec/observation.h"

namespace shardcheck::harness {

// Stands between a traced run and its judge, and passes every fact on. A run that is not traced has none.
class FactTrace final : public ObservationSink {
 public:
  // All but `wording` must outlive the run.
  void begin(ObservationSink& sink, Wording wording, TraceSink& trace);
  void on(const Observed& observed) override;
  // A deviation strikes: says so in the trace.
  void strike(TrueTime at, NodeId process, const sim::Deviation& deviation);

 private:
  std::string part_of(NodeId process) const;

  ObservationSink* sink_ = nullptr;
  TraceSink* trace_ = nullptr;
  Wording wording_;
  std::vector<ShardRecord> records_;  // by ShardId, as committed
};

// A fact in words; empty for those that messages, timers and faults show already.
std::string describe_fact(const Wording& wording, const Observed& observed);
// Of a RecordCommitted, only what differs from the record before, where that is about its move or its replica set.
std::string describe_news(const Wording& wording, const ShardRecord& before, const Observed& observed);

}  // namespace shardcheck::harness
