// Where the deviations of a run come from: drawn while it runs, or read from a scenario.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/labels.h"
#include "harness/losses.h"
#include "sim/choices.h"
#include "sim/deviation.h"

namespace shardcheck::harness {

// Which faults a run has and how often one strikes; drawn once for each run.
struct FaultProfile {
  std::uint32_t gap = 0;                       // messages between two deviations, on average; 0: none at all
  std::array<bool, kFaultKinds> is_enabled{};  // by FaultKind
  // Only messages of this kind are counted and struck: how rare moments are met often.
  std::optional<std::uint8_t> message_kind;
  // Only messages sent while this is the phase that a move last came to are; for aborted ones, those of the first
  // phases too.
  std::optional<std::uint8_t> phase;
};

// What the adversary may do to whom.
struct FaultLimits {
  Duration clock_offset_max;          // no clock is shifted further
  std::vector<NodeId> may_lose_disk;  // everybody else crashes instead
  // The process that stands for all clients, where there is one: only its links fail. What would strike it strikes the
  // other end, and unless they may, messages to and from it do not arrive twice.
  NodeId clients = kNoNode;
  bool may_repeat_client_messages = false;
  bool may_tear_records = false;  // they are bytes, and a crash may leave a beginning of one
  LossLimits may_be_lost{};       // for good; beyond that, processes crash
};

// Draws by gaps: "the next deviation comes after so many messages, and is ...". Each is written down with its anchor.
class DrawnDeviations final : public sim::DeviationSource {
 public:
  void reset(const FaultProfile& profile, FaultLimits limits, sim::Choices& choices);
  const sim::Deviation* at(const sim::Anchor& anchor) override;
  void signalled(std::uint8_t phase) override { phase_ = phase; }
  const std::vector<sim::Deviation>& drawn() const { return drawn_; }

 private:
  bool strikes_now() const;
  void draw_gap();
  bool draw(const sim::Anchor& anchor);
  void draw_what_a_crash_leaves(sim::Deviation& deviation);
  void strike_who_may_lose(sim::Deviation& deviation) const;
  void strike_who_may_be_lost(sim::Deviation& deviation);
  void spare_clients(sim::Deviation& deviation) const;
  std::uint64_t ask(Ask kind, std::uint64_t n);

  FaultProfile profile_;
  FaultLimits limits_;
  std::vector<FaultKind> enabled_;
  sim::Choices* choices_ = nullptr;
  std::uint8_t phase_ = 0;
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
