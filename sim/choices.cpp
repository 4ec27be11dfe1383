#include "sim/choices.h"

#include <algorithm>
#include <utility>

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

namespace {

bool asks_before(const Override& left, const Override& right) {
  return std::pair(left.kind, left.counter) < std::pair(right.kind, right.counter);
}

}  // namespace

OverriddenChoices::OverriddenChoices(Choices& base, const std::vector<Override>& overrides) : base_(base) {
  for (const Override& it : overrides) {
    const auto place = std::ranges::lower_bound(overrides_, it, asks_before);
    if (place == overrides_.end() || asks_before(it, *place)) {
      overrides_.insert(place, it);
    }
  }
}

std::uint64_t OverriddenChoices::below(std::uint64_t n, Label label) {
  SHARDCHECK_ASSERT(n >= 1);
  const Override question{label.kind, label.counter, 0};
  const auto found = std::ranges::lower_bound(overrides_, question, asks_before);
  const bool is_overridden = found != overrides_.end() && !asks_before(question, *found);
  return is_overridden ? found->answer % n : base_.below(n, label);
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
