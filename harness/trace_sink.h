// Where the story of a run goes, for people.
#pragma once

#include <string>

#include "sim/deviation.h"
#include "spec/observation.h"
#include "spec/types.h"

namespace shardcheck::harness {

// Receives a run's story, a line at a time, while tracing is on.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void line(TrueTime at, const std::string& text) = 0;
  // A deviation of the scenario struck a process. `part` is whose part in a move the struck ones play, as in
  // "storage node 1 is the source of move 7 of range 0 (copying)"; empty: none.
  virtual void struck(TrueTime, NodeId, const sim::Deviation&, const std::string& part) { static_cast<void>(part); }
  // A fact that the judge is told.
  virtual void happened(const Observed&) {}
};

}  // namespace shardcheck::harness
