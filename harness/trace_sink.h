// Where the story of a run goes, for people.
#pragma once

#include <string>

#include "spec/types.h"

namespace shardcheck::harness {

// Receives a run's story, a line at a time, while tracing is on.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void line(TrueTime at, const std::string& text) = 0;
};

}  // namespace shardcheck::harness
