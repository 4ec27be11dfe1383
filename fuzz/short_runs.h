// Keeps the runs of a fuzzer short. It finds by the number of its runs and builds long ways out of short steps, so a
// run is to be about 200 events; long ones are for the campaigns of `shardcheck verify`.
#pragma once

#include <cstdint>

#include "harness/labels.h"
#include "sim/choices.h"

namespace shardcheck::fuzz {

// Passes questions on; two of the answers are changed. `source` must outlive this object.
class ShortRuns final : public sim::Choices {
 public:
  explicit ShortRuns(sim::Choices& source) : source_(source) {}

  std::uint64_t below(std::uint64_t n, sim::Label label) override {
    const std::uint64_t answer = source_.below(n, label);
    switch (static_cast<harness::Ask>(label.kind)) {
      case harness::Ask::steps: return answer % kMoreSteps;
      // Five answers in eight name more than one member, which beat and vote while nothing else happens; two do here.
      case harness::Ask::directories: return answer < kFirstOfManyMembers ? 0 : answer;
      default: return answer;
    }
  }
  bool is_exhausted() const override { return source_.is_exhausted(); }

 private:
  static constexpr std::uint64_t kMoreSteps = 8;  // than the shortest plan has, less than these
  static constexpr std::uint64_t kFirstOfManyMembers = 5;

  sim::Choices& source_;
};

}  // namespace shardcheck::fuzz
