// The messages of a World that are under way, each in an envelope with its ends and whatever is to strike at its
// arrival. Envelopes are named by index and reused, so that nothing is allocated once the pool has grown, and they stay
// where they are until they are released.
#pragma once

#include <cstdint>
#include <deque>
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
  std::uint64_t put(const Message& message, NodeId from, NodeId to) {
    const std::uint64_t index = take_index();
    Envelope<Message>& envelope = envelopes_[index];
    envelope.message = message;
    envelope.from = from;
    envelope.to = to;
    envelope.deviation.reset();
    return index;
  }
  // Valid until it is released.
  Envelope<Message>& at(std::uint64_t index) {
    SHARDCHECK_ASSERT(index < used_);
    return envelopes_[index];
  }
  void release(std::uint64_t index) { free_.push_back(index); }
  void clear() {
    free_.clear();
    used_ = 0;
  }

 private:
  std::uint64_t take_index() {
    if (!free_.empty()) {
      const std::uint64_t index = free_.back();
      free_.pop_back();
      return index;
    }
    if (used_ == envelopes_.size()) {
      envelopes_.emplace_back();
    }
    return used_++;
  }

  std::deque<Envelope<Message>> envelopes_;  // which never moves them
  std::uint64_t used_ = 0;                   // since it was cleared
  std::vector<std::uint64_t> free_;
};

}  // namespace shardcheck::sim
