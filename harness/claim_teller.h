// Turns the claims of nodes, which end at an instant of a node's own clock, into facts in true time, and tells each
// change once. A shift of the clock moves a claim's end, so it is told again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/clock.h"
#include "spec/observation.h"

namespace shardcheck::harness {

// Claim has shard, range, epoch and until (an Instant), and compares.
template <class Claim>
class ClaimTeller {
 public:
  void reset(std::size_t processes, std::size_t shards) {
    shards_ = shards;
    told_.assign(processes * shards, Told{});
  }

  // `claim` is what the node claims of the shard now.
  void tell(NodeId process, ShardId shard, const std::optional<Claim>& claim, const sim::Clock& clock, TrueTime at,
            ObservationSink& sink) {
    Told& told = told_[process.value * shards_ + shard.value];
    if (!claim) {
      if (told.is_told) {
        told.is_told = false;
        sink.on({at, process, ClaimEnded{shard}});
      }
      return;
    }
    if (told.is_told && told.claim == *claim && told.shifts == clock.shifts()) {
      return;
    }
    constexpr Instant kForEver{INT64_MAX};
    const TrueTime until = claim->until == kForEver ? TrueTime{INT64_MAX} : clock.when_reads(claim->until, at);
    told = {true, *claim, clock.shifts()};
    sink.on({at, process, ClaimChanged{shard, claim->range, claim->epoch, until}});
  }
  bool is_told(NodeId process, ShardId shard) const { return told_[process.value * shards_ + shard.value].is_told; }
  // A crash ended all claims of the process, which the judge knows by itself.
  void forget(NodeId process) {
    for (std::size_t i = 0; i < shards_; ++i) {
      told_[process.value * shards_ + i].is_told = false;
    }
  }

 private:
  struct Told {
    bool is_told = false;
    Claim claim{};
    std::uint32_t shifts = 0;  // of the node's clock when it was told
  };

  std::size_t shards_ = 0;
  std::vector<Told> told_;  // by process, then ShardId
};

}  // namespace shardcheck::harness
