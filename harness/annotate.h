// A scenario for who has nothing but its text: with comments that say who is who, how the ranges lie at first, whom
// each fault struck, and what follows the last step. The comments parse, as nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/scenario.h"
#include "harness/trace_sink.h"

namespace shardcheck::harness {

// Handed to a run as its trace, it keeps what struck, and passes the trace on, if that is wanted.
class FaultListener final : public TraceSink {
 public:
  explicit FaultListener(TraceSink* next = nullptr) : next_(next) {}

  void line(TrueTime at, const std::string& text) override;
  void struck(TrueTime at, NodeId process, const sim::Deviation& deviation, const std::string& part) override;
  void happened(const Observed& observed) override;
  // "at 32.300 ms; storage node 1 is the source of move 7 of range 0 (copying)"; empty: it never struck.
  std::string words_of(const sim::Deviation& deviation) const;

 private:
  TraceSink* next_;
  std::vector<std::pair<sim::Deviation, std::string>> struck_;
};

// A deviation in words, and when and whom it struck. `faults` has listened to a run of the scenario.
std::string described(const Scenario& scenario, const sim::Deviation& deviation, const FaultListener& faults);
// `faults` has listened to a run of the scenario.
std::string annotated_text(const Scenario& scenario, const FaultListener& faults);

}  // namespace shardcheck::harness
