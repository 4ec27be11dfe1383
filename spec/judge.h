// Judges a run by the catalogue: feed it every observation in order of true time, then finish. Gives back, for each
// clause, how often it was checked and the first violation.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "spec/clauses.h"
#include "spec/observation.h"
#include "spec/violation.h"

namespace shardcheck {

// The bounds that a run promises and by which it is judged. Set by whoever configures the cluster.
struct Bounds {
  int nodes = 0;    // NodeId.value < nodes, all roles together
  int shards = 0;   // ShardId.value < shards
  int clients = 0;  // ClientId.value < clients
  KeyRange key_space;
  Duration clock_offset_max;   // every clock is within this of true time, at all times
  Duration retention;          // a source keeps its copy at least this long (true time) after the commit
  Duration service_within;     // V1: after Healed, every range serves again within this
  Duration move_within;        // V2: after Healed, every accepted move is over within this
  int hops_per_epoch_max = 4;  // R2: redirected or stale hops of one request while the epochs it meets do not change
};

// What monitors write into: counts of checks and violations. Only the first violation of each clause is kept.
class Findings {
 public:
  void checked(ClauseId id) { ++checks_[static_cast<std::size_t>(id)]; }
  bool is_violated(ClauseId id) const { return violated_[static_cast<std::size_t>(id)]; }
  bool is_clean() const { return violations_.empty(); }
  void violated(ClauseId id, TrueTime at, std::string message) {
    if (!is_violated(id)) {
      violated_[static_cast<std::size_t>(id)] = true;
      violations_.push_back({id, at, std::move(message)});
    }
  }
  std::uint64_t checks(ClauseId id) const { return checks_[static_cast<std::size_t>(id)]; }
  // In the order in which they were found.
  const std::vector<Violation>& violations() const { return violations_; }
  void clear() {
    checks_.fill(0);
    violated_.fill(false);
    violations_.clear();
  }

 private:
  std::array<std::uint64_t, kClauses> checks_{};
  std::array<bool, kClauses> violated_{};
  std::vector<Violation> violations_;
};

}  // namespace shardcheck
