#include "harness/deviations.h"

#include <algorithm>
#include <utility>

#include "sim/disk.h"

namespace shardcheck::harness {
namespace {

using sim::Anchor;
using sim::Deviation;
using sim::Moment;

// Sizes that matter to a protocol: around one message delay, one time-out, one lease, and beyond.
constexpr std::array kDelays{milliseconds(2),  microseconds(700), milliseconds(5),  milliseconds(10),
                             milliseconds(20), milliseconds(45),  milliseconds(80), milliseconds(150)};
// The last one is for good, as far as the run with its faults goes.
constexpr std::array kOutages{milliseconds(10), milliseconds(2),   milliseconds(25),    milliseconds(50),
                              milliseconds(80), milliseconds(140), milliseconds(10'000)};

bool hits_a_process(FaultKind kind) {
  return kind == FaultKind::crashed || kind == FaultKind::disk_lost || kind == FaultKind::paused ||
         kind == FaultKind::clock_shifted || kind == FaultKind::lost_for_good;
}

constexpr auto kPreparing = static_cast<std::uint8_t>(MovePhase::preparing);
constexpr auto kCatchingUp = static_cast<std::uint8_t>(MovePhase::catching_up);
constexpr auto kAborted = static_cast<std::uint8_t>(MovePhase::aborted);

}  // namespace

void DrawnDeviations::reset(const FaultProfile& profile, FaultLimits limits, sim::Choices& choices) {
  profile_ = profile;
  limits_ = std::move(limits);
  choices_ = &choices;
  phase_ = 0;
  asked_ = 0;
  drawn_.clear();
  enabled_.clear();
  for (int kind = 0; kind < kFaultKinds; ++kind) {
    if (profile.is_enabled[static_cast<std::size_t>(kind)]) {
      enabled_.push_back(static_cast<FaultKind>(kind));
    }
  }
  draw_gap();
}

std::uint64_t DrawnDeviations::ask(Ask kind, std::uint64_t n) { return choices_->below(n, label(kind, asked_)); }

// Gaps are uniform around the mean, answer 0 being the mean itself: an answer taken off a tape then moves nothing far.
void DrawnDeviations::draw_gap() {
  if (profile_.gap == 0 || enabled_.empty() || choices_->is_exhausted()) {
    left_ = UINT64_MAX;
    return;
  }
  ++asked_;
  const std::uint64_t span = std::min<std::uint64_t>(2 * profile_.gap, 256);
  left_ = 1 + (profile_.gap + ask(Ask::deviation_gap, span)) % span;
}

// A move is aborted because something struck it before.
bool DrawnDeviations::strikes_now() const {
  const bool leads_there = profile_.phase == kAborted && kPreparing <= phase_ && phase_ <= kCatchingUp;
  return !profile_.phase || phase_ == *profile_.phase || leads_there;
}

const Deviation* DrawnDeviations::at(const sim::Anchor& anchor) {
  if (profile_.message_kind && anchor.message_kind != *profile_.message_kind) {
    return nullptr;
  }
  if (!strikes_now()) {
    return nullptr;
  }
  if (--left_ > 0) {
    return nullptr;
  }
  const bool is_drawn = draw(anchor);
  draw_gap();
  return is_drawn ? &drawn_.back() : nullptr;
}

// Answer 0 of the kind is no deviation: a tape without it goes on to the next gap undisturbed.
bool DrawnDeviations::draw(const sim::Anchor& anchor) {
  const std::uint64_t kind = ask(Ask::deviation_kind, enabled_.size() + 1);
  if (kind == 0) {
    return false;
  }
  Deviation deviation;
  deviation.anchor = anchor;
  deviation.kind = enabled_[kind - 1];
  if (deviation.kind == FaultKind::lost_for_good && profile_.phase && phase_ != *profile_.phase) {
    return false;  // there are few to lose, and the run is about another phase
  }
  const bool lasts = hits_a_process(deviation.kind) || deviation.kind == FaultKind::link_cut;
  if (lasts && deviation.kind != FaultKind::lost_for_good) {
    deviation.duration = kOutages[ask(Ask::deviation_size, kOutages.size())];
  } else if (deviation.kind == FaultKind::delayed || deviation.kind == FaultKind::duplicated) {
    deviation.duration = kDelays[ask(Ask::deviation_size, kDelays.size())];
  }
  if (hits_a_process(deviation.kind)) {
    deviation.moment = static_cast<Moment>(ask(Ask::deviation_moment, 3));
  }
  spare_clients(deviation);
  if (deviation.kind == FaultKind::disk_lost) {
    strike_who_may_lose(deviation);
  } else if (deviation.kind == FaultKind::lost_for_good) {
    strike_who_may_be_lost(deviation);
  }
  switch (deviation.kind) {
    case FaultKind::link_cut: deviation.is_both_ways = ask(Ask::deviation_detail, 2) == 1; break;
    case FaultKind::crashed: draw_what_a_crash_leaves(deviation); break;
    case FaultKind::held_until_phase:
      deviation.until_signal = static_cast<std::uint8_t>(ask(Ask::deviation_detail, kMovePhases));
      break;
    case FaultKind::clock_shifted: {
      const auto eighths = static_cast<std::int64_t>(ask(Ask::deviation_detail, 17)) - 8;
      deviation.duration = limits_.clock_offset_max * eighths / 8;
      break;
    }
    case FaultKind::disk_lost:
    case FaultKind::delayed:
    case FaultKind::dropped:
    case FaultKind::duplicated:
    case FaultKind::paused:
    case FaultKind::lost_for_good: break;
  }
  drawn_.push_back(deviation);
  return true;
}

// Half of all crashes leave whole records only.
void DrawnDeviations::draw_what_a_crash_leaves(Deviation& deviation) {
  deviation.kept_unsynced = static_cast<std::uint8_t>(ask(Ask::deviation_detail, 4));
  if (limits_.may_tear_records) {
    const std::uint64_t torn = ask(Ask::torn, 2 * sim::kTornWhole);
    deviation.torn = static_cast<std::uint8_t>(torn < sim::kTornWhole ? 0 : torn - sim::kTornWhole + 1);
  }
}

// The other end of the message if the one drawn may not lose its disk; where neither may, it is a crash.
void DrawnDeviations::strike_who_may_lose(Deviation& deviation) const {
  const auto may_lose = [this](NodeId id) {
    return std::ranges::find(limits_.may_lose_disk, id) != limits_.may_lose_disk.end();
  };
  const Anchor& anchor = deviation.anchor;
  const bool is_sender = deviation.moment == Moment::after_sending;
  if (may_lose(is_sender ? anchor.from : anchor.to)) {
    return;
  }
  if (may_lose(is_sender ? anchor.to : anchor.from)) {
    deviation.moment = is_sender ? Moment::after_receiving : Moment::after_sending;
  } else {
    deviation.kind = FaultKind::crashed;
  }
}

// As above. That nobody is left who could go on is no fault of the cluster's.
void DrawnDeviations::strike_who_may_be_lost(Deviation& deviation) {
  const auto limit_of = [this](NodeId id) {
    return std::ranges::find_if(limits_.may_be_lost,
                                [id](const LossLimit& it) { return it.is_about(id) && it.most > 0; });
  };
  const Anchor& anchor = deviation.anchor;
  const bool is_sender = deviation.moment == Moment::after_sending;
  auto limit = limit_of(is_sender ? anchor.from : anchor.to);
  if (limit == limits_.may_be_lost.end()) {
    limit = limit_of(is_sender ? anchor.to : anchor.from);
    if (limit == limits_.may_be_lost.end()) {
      deviation.kind = FaultKind::crashed;
      deviation.duration = kOutages.front();
      return;
    }
    deviation.moment = is_sender ? Moment::after_receiving : Moment::after_sending;
  }
  --limit->most;
}

void DrawnDeviations::spare_clients(Deviation& deviation) const {
  const bool is_from_clients = deviation.anchor.from == limits_.clients;
  const bool is_to_clients = deviation.anchor.to == limits_.clients;
  if (!is_from_clients && !is_to_clients) {
    return;
  }
  if (deviation.kind == FaultKind::duplicated && !limits_.may_repeat_client_messages) {
    deviation.kind = FaultKind::delayed;
  }
  if (hits_a_process(deviation.kind) && is_from_clients && deviation.moment == Moment::after_sending) {
    deviation.moment = Moment::before_receiving;
  } else if (hits_a_process(deviation.kind) && is_to_clients) {
    deviation.moment = Moment::after_sending;
  }
}

void ScriptedDeviations::reset(const std::vector<Deviation>& script) {
  script_ = script;
  std::ranges::sort(script_, {}, &Deviation::anchor);
  kinds_.fill(0);
  for (const Deviation& deviation : script_) {
    kinds_[deviation.anchor.message_kind / 64U] |= 1ULL << (deviation.anchor.message_kind % 64U);
  }
  reached_ = 0;
}

const Deviation* ScriptedDeviations::at(const sim::Anchor& anchor) {
  if ((kinds_[anchor.message_kind / 64U] >> (anchor.message_kind % 64U) & 1U) == 0) {
    return nullptr;
  }
  const auto found = std::ranges::lower_bound(script_, anchor, {}, &Deviation::anchor);
  if (found == script_.end() || found->anchor != anchor) {
    return nullptr;
  }
  ++reached_;
  return &*found;
}

}  // namespace shardcheck::harness
