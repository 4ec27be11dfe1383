// The messages of a World that are under way, each in an envelope with its ends and whatever is to strike at its
// arrival. Envelopes are named by index and reused, so that nothing is allocated once the pool has grown.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/deviation.h"
#include "spec/assert.h"
#include "spec/types.h"

namespace shardcheck::sim {

template <class Message>
struct Envelope {
  Message message;
  NodeId from;
  NodeId to;
  std::optional<Deviation> deviation;  // that strikes at its arrival
};

template <class Message>
class EnvelopePool {
 public:
  std::uint64_t put(const Envelope<Message>& envelope) {
    if (free_.empty()) {
      envelopes_.push_back(envelope);
      return envelopes_.size() - 1;
    }
    const std::uint64_t index = free_.back();
    free_.pop_back();
    envelopes_[index] = envelope;
    return index;
  }
  // Valid until the next put.
  Envelope<Message>& at(std::uint64_t index) {
    SHARDCHECK_ASSERT(index < envelopes_.size());
    return envelopes_[index];
  }
  // The index may be given out again; the envelope stays readable until the next put.
  void release(std::uint64_t index) { free_.push_back(index); }
  void clear() {
    envelopes_.clear();
    free_.clear();
  }

 private:
  std::vector<Envelope<Message>> envelopes_;
  std::vector<std::uint64_t> free_;
};

}  // namespace shardcheck::sim
