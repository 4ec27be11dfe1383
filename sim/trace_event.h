// One thing that happened in a World, for a text trace; made only while tracing is on.
#pragma once

#include <cstdint>

#include "sim/deviation.h"
#include "spec/types.h"

namespace shardcheck::sim {

// `message` is null except for sends and deliveries; `fault` for faults only. Both are valid during the call.
template <class Protocol>
struct TraceEvent {
  enum class Kind : std::uint8_t { sent, delivered, lost, timer, synced, started, fault };
  Kind kind;
  TrueTime at;
  NodeId process;  // sent: the sender; otherwise whom it happens to
  NodeId peer;
  const typename Protocol::Message* message;
  const Deviation* fault;
};

}  // namespace shardcheck::sim
