// Where the deviations of a run come from: drawn while it runs, or read from a scenario.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/labels.h"
#include "impl/options.h"
#include "sim/choices.h"
#include "sim/deviation.h"

namespace shardcheck::harness {

// Which faults a run has and how often one strikes; drawn once for each run.
struct FaultProfile {
  std::uint32_t gap = 0;                       // messages between two deviations, on average; 0: none at all
  std::array<bool, kFaultKinds> is_enabled{};  // by FaultKind
};

// Draws by gaps: "the next deviation comes after so many messages, and is ...". Each is written down with its anchor.
class DrawnDeviations final : public sim::DeviationSource {
 public:
  void reset(const FaultProfile& profile, const impl::ClusterOptions& cluster, sim::Choices& choices);
  const sim::Deviation* at(const sim::Anchor& anchor) override;
  const std::vector<sim::Deviation>& drawn() const { return drawn_; }

 private:
  void draw_gap();
  bool draw(const sim::Anchor& anchor);
  std::uint64_t ask(Ask kind, std::uint64_t n);

  FaultProfile profile_;
  impl::ClusterOptions cluster_;
  std::vector<FaultKind> enabled_;
  sim::Choices* choices_ = nullptr;
  std::uint32_t asked_ = 0;  // how many deviations were asked for
  std::uint64_t left_ = 0;   // messages until the next one
  std::vector<sim::Deviation> drawn_;
};

// Strikes where the list says, and nowhere else.
class ScriptedDeviations final : public sim::DeviationSource {
 public:
  void reset(const std::vector<sim::Deviation>& script);
  const sim::Deviation* at(const sim::Anchor& anchor) override;
  // Of how many of them the anchor was reached.
  std::size_t reached() const { return reached_; }

 private:
  std::vector<sim::Deviation> script_;    // sorted by anchor
  std::array<std::uint64_t, 4> kinds_{};  // a bit for each message kind that the script names
  std::size_t reached_ = 0;
};

}  // namespace shardcheck::harness
