// A test case as data: how the cluster is made up, what clients and operators ask for, and every deviation from the
// quiet run. It prints and parses, and the same scenario always gives the same run. Every driver writes one down, so
// whatever any of them finds is shrunk, kept and replayed in the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "impl/options.h"
#include "sim/deviation.h"
#include "sim/world.h"
#include "spec/error.h"
#include "spec/system.h"

namespace shardcheck::harness {

// One process's clock.
struct ClockSetting {
  NodeId process;
  Duration offset;
  std::int64_t drift_ppm = 0;
  std::vector<sim::DriftChange> changes = {};  // of the drift, in order of time, sim::kDriftChangesMax at most

  friend bool operator==(const ClockSetting&, const ClockSetting&) = default;
};

// What a scenario of another system than the reference relies on; a system of another make-up cannot run it.
struct ForeignSystem {
  std::string name;
  std::uint16_t processes = 0;  // those after them stand for clients
  std::uint16_t clients = 0;
  std::uint16_t shards = 0;
  KeyRange key_space;
  std::vector<std::string> message_kinds;

  friend bool operator==(const ForeignSystem&, const ForeignSystem&) = default;
};

struct Scenario {
  impl::ClusterOptions cluster;
  sim::NetworkOptions network;
  std::vector<ClockSetting> clocks;  // those that are not exact
  std::vector<Step> steps;           // in order of time
  std::vector<sim::Deviation> deviations;
  std::optional<ForeignSystem> system;  // when it is not the reference's: `cluster` then means nothing
  // Of the reference's cluster only the directory, and after its members one process for each client of its settings.
  bool is_of_directory_alone = false;

  // What a person counts: things that happen in it.
  std::size_t size() const { return steps.size() + deviations.size() + clocks.size(); }
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

// One line a fact; lines beginning with '#' are comments. to_text and parse are inverse to one another.
std::string to_text(const Scenario& scenario);
// `name` stands in errors, as in "name:12".
Result<Scenario> parse_scenario(std::string_view text, std::string_view name);

}  // namespace shardcheck::harness
