// What led to a violation: of all that happened in a run, what is about the keys, ranges, requests, moves and routers
// that its message names. For who has read the verdict and asks how it came to that.
#pragma once

#include <string>
#include <vector>

#include "harness/describe.h"
#include "harness/trace_sink.h"
#include "spec/violation.h"

namespace shardcheck::harness {

// Handed to a run as its trace, it keeps what happened, and passes the trace on, if that is wanted.
class Excerpt final : public TraceSink {
 public:
  static constexpr std::size_t kLinesMax = 20;

  explicit Excerpt(const Scenario& scenario, TraceSink* next = nullptr);

  void line(TrueTime at, const std::string& text) override;
  void struck(TrueTime at, NodeId process, const sim::Deviation& deviation, const std::string& part) override;
  void happened(const Observed& observed) override;

  // Oldest first, a line each: "27.200 ms  client 0 asks for write of 78 to key 0 (request 1248)". All faults until
  // then, and of the rest the latest; the last line says where the promise was broken. `violation` is of the run
  // listened to.
  std::vector<std::string> before(const Violation& violation) const;

 private:
  struct Entry {
    Observed observed;
    std::string fault;  // in words; empty: `observed` is what happened
  };

  TraceSink* next_;
  Wording wording_;
  std::vector<Entry> entries_;
};

}  // namespace shardcheck::harness
