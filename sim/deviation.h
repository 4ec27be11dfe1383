// A deviation from the quiet run: one fault, anchored at the sending of one message, which is named by its kind, its
// ends and how many of that kind went the same way before. So anchored, it keeps its meaning while everything else in
// a scenario is taken away.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "spec/observation.h"
#include "spec/types.h"

namespace shardcheck::sim {

struct Anchor {
  std::uint8_t message_kind = 0;
  NodeId from;
  NodeId to;
  std::uint32_t count = 0;  // the first message of this kind from `from` to `to` has count 0

  friend constexpr auto operator<=>(const Anchor&, const Anchor&) = default;
};

// Whom a crash, pause or clock shift hits, and when.
enum class Moment : std::uint8_t {
  after_sending,     // the sender, right after the call that sent the message
  before_receiving,  // the receiver, as the message arrives: a crash loses it, a pause delays it
  after_receiving,   // the receiver, right after it handled the message
};

inline constexpr int kMoments = 3;

constexpr std::string_view name_of(Moment moment) {
  switch (moment) {
    case Moment::after_sending: return "after_sending";
    case Moment::before_receiving: return "before_receiving";
    case Moment::after_receiving: return "after_receiving";
  }
  return "";
}

struct Deviation {
  Anchor anchor;
  FaultKind kind = FaultKind::delayed;
  Moment moment = Moment::after_sending;  // crashed, disk_lost, paused, clock_shifted, lost_for_good
  bool is_both_ways = false;              // link_cut
  std::uint8_t kept_unsynced = 0;         // crashed: how many unsynced records reached the disk all the same
  std::uint8_t torn = 0;          // crashed: how many sixteenths of the record behind those, if records are bytes
  std::uint8_t until_signal = 0;  // held_until_phase: the message waits until World::signal(until_signal), or heal
  // delayed, duplicated: added latency (of the copy). crashed, disk_lost: time until the restart. link_cut, paused:
  // how long. clock_shifted: the new offset. The others have none.
  Duration duration;

  friend constexpr bool operator==(const Deviation&, const Deviation&) = default;
};

// Asked once for every message sent. Drawn from Choices or read from a scenario.
class DeviationSource {
 public:
  virtual ~DeviationSource() = default;
  // The deviation of the message just sent, or nullptr. The pointer is valid until the next call.
  virtual const Deviation* at(const Anchor& anchor) = 0;
  // World::signal was called.
  virtual void signalled(std::uint8_t) {}
};

}  // namespace shardcheck::sim
