// What monitors write into: how often each clause was checked, and the first violation of each.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "spec/clauses.h"
#include "spec/violation.h"

namespace shardcheck {

// Only the first violation of each clause is kept: later ones are mostly its consequences.
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
