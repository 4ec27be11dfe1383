#include "sim/choices.h"

#include <algorithm>

#include "sim/digest.h"
#include "spec/assert.h"

namespace shardcheck::sim {

std::uint64_t SeededChoices::below(std::uint64_t n, Label label) {
  SHARDCHECK_ASSERT(n >= 1);
  const std::uint64_t name = (static_cast<std::uint64_t>(label.kind) << 48U) |
                             (static_cast<std::uint64_t>(label.subject) << 32U) | label.counter;
  // The remainder's bias is below n / 2^64, which no run can see.
  return mix(seed_ ^ mix(name)) % n;
}

std::uint64_t ByteChoices::below(std::uint64_t n, Label) {
  SHARDCHECK_ASSERT(n >= 1);
  std::uint64_t answer = 0;
  for (std::uint64_t range = 1; range < n && next_ < bytes_.size(); range *= 256) {
    answer = answer * 256 + bytes_[next_++];
  }
  return answer % n;
}

std::uint64_t RecordedChoices::below(std::uint64_t n, Label label) {
  SHARDCHECK_ASSERT(n >= 1);
  const auto entry = std::ranges::lower_bound(tape_, label, {}, &TapeEntry::label);
  if (entry == tape_.end() || entry->label != label) {
    return 0;
  }
  ++found_;
  return entry->answer < n ? entry->answer : 0;
}

std::uint64_t TapeRecorder::below(std::uint64_t n, Label label) {
  const std::uint64_t answer = source_.below(n, label);
  SHARDCHECK_ASSERT(answer < n);
  if (answer != 0) {
    tape_.push_back({label, answer});
  }
  return answer;
}

Tape TapeRecorder::take_tape() {
  std::ranges::sort(tape_);
  return std::move(tape_);
}

}  // namespace shardcheck::sim
