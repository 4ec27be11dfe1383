// For tests of the World: three processes that do what a test tells them to, and a log of what became of it, a line a
// thing: "0.500 ms: 1 heard 7". Messages weigh nothing and travel for half a millisecond; a sync takes 0.2 ms.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/world.h"
#include "spec/wording.h"

namespace shardcheck::sim::toy {

inline constexpr NodeId kA{0};
inline constexpr NodeId kB{1};
inline constexpr NodeId kC{2};

// What a process is told to do, or what it says that it did.
enum class Verb : std::uint8_t { hear, pass_on, keep, jot, work, wake, tell_time, found, synced, woke };

struct Note {
  Verb verb = Verb::hear;
  int number = 0;
  NodeId to = kNoNode;  // pass_on
};

constexpr Note hear(int number) { return {Verb::hear, number}; }
constexpr Note pass_on(int number, NodeId to) { return {Verb::pass_on, number, to}; }
constexpr Note keep(int number) { return {Verb::keep, number}; }    // on disk, durably
constexpr Note jot(int number) { return {Verb::jot, number}; }      // on disk, not synced
constexpr Note work(int cost_ms) { return {Verb::work, cost_ms}; }  // be busy for so long
constexpr Note wake(int at_ms) { return {Verb::wake, at_ms}; }      // when its clock reads this
constexpr Note tell_time() { return {Verb::tell_time}; }            // in microseconds, by its clock

class Process {
 public:
  void handle(const Input<Note, int>& input, Instant now, Outputs<Note, int>& outputs) {
    if (const auto* started = std::get_if<Started<int>>(&input)) {
      for (const int number : started->durable) {
        outputs.send(kNoNode, {Verb::found, number});
      }
    } else if (const auto* received = std::get_if<Received<Note>>(&input)) {
      obey(received->message, now, outputs);
    } else if (const auto* fired = std::get_if<TimerFired>(&input)) {
      outputs.send(kNoNode, {Verb::woke, static_cast<int>(fired->token.value)});
    } else if (const auto* synced = std::get_if<Synced>(&input)) {
      outputs.send(kNoNode, {Verb::synced, static_cast<int>(synced->count)});
    }
  }

 private:
  static void obey(const Note& note, Instant now, Outputs<Note, int>& outputs) {
    switch (note.verb) {
      case Verb::pass_on: outputs.send(note.to, hear(note.number)); return;
      case Verb::keep:
        outputs.append(note.number);
        outputs.wants_sync = true;
        return;
      case Verb::jot: outputs.append(note.number); return;
      case Verb::wake:
        outputs.wake_at(Instant{} + milliseconds(note.number), TimerToken{static_cast<std::uint32_t>(note.number)});
        return;
      case Verb::work:
        outputs.cost = milliseconds(note.number);
        outputs.send(kNoNode, note);
        return;
      case Verb::tell_time: outputs.send(kNoNode, {Verb::tell_time, static_cast<int>(now.value / 1'000)}); return;
      case Verb::hear:
      case Verb::found:
      case Verb::synced:
      case Verb::woke: outputs.send(kNoNode, note); return;
    }
  }
};

struct Protocol {
  using Message = Note;
  using Record = int;
  using Process = toy::Process;

  static constexpr std::uint8_t kMessageKinds = 10;
  static std::uint8_t kind_of(const Note& note) { return static_cast<std::uint8_t>(note.verb); }
  static std::int64_t bytes_of(const Note&) { return 0; }
  static std::uint64_t digest_of(const Note& note) { return static_cast<std::uint64_t>(note.number); }
};

// A deviation at the first, second, ... (count 0, 1, ...) note from one process to another.
inline Deviation at(NodeId from, NodeId to, FaultKind kind, Duration duration = {}, std::uint32_t count = 0) {
  Deviation deviation;
  deviation.anchor = {static_cast<std::uint8_t>(Verb::hear), from, to, count};
  deviation.kind = kind;
  deviation.duration = duration;
  return deviation;
}
// A fault done by itself.
inline Deviation fault(FaultKind kind, Duration duration) { return at(kA, kA, kind, duration); }

class ToyWorld final : private DeviationSource {
 public:
  explicit ToyWorld(std::vector<Deviation> script = {}, std::uint16_t inbox_max = 0)
      : script_(std::move(script)), world_(*this) {
    options_.network.inbox_max = inbox_max;
    begin();
  }
  ToyWorld(const ToyWorld&) = delete;
  ToyWorld& operator=(const ToyWorld&) = delete;

  // Forgets everything, and starts again.
  void begin() {
    struct Provision {
      Process process;
      std::vector<int> disk;
    };
    log_.clear();
    world_.reset(options_, std::vector<Provision>(3), *this);
    world_.start_all();
  }
  ToyWorld& run_to_us(std::int64_t us) {
    world_.run_until(TrueTime{us * 1'000}, 1'000);
    return *this;
  }
  ToyWorld& run_to(std::int64_t ms) { return run_to_us(ms * 1'000); }
  ToyWorld& tell(NodeId process, Note note) {
    world_.inject(process, note);
    return *this;
  }
  ToyWorld& strike(NodeId process, const Deviation& fault, NodeId peer = kNoNode) {
    world_.inject_fault(process, fault, peer);
    return *this;
  }

  World<Protocol, ToyWorld>& world() { return world_; }
  const std::vector<std::string>& log() const { return log_; }

  // What the world calls.
  void replied(NodeId from, const Note& note, TrueTime time) {
    write(time, from, fmt::format("{} {}", name_of(note.verb), note.number));
  }
  void observed(TrueTime time, NodeId by, const Observation& fact) {
    if (const auto* fault = std::get_if<FaultInjected>(&fact)) {
      write(time, by, shardcheck::name_of(fault->kind));
    } else if (std::holds_alternative<Crashed>(fact)) {
      write(time, by, "went down");
    } else if (std::holds_alternative<InboxOverflowed>(fact)) {
      write(time, by, "had no room");
    } else if (const auto* restarted = std::get_if<Restarted>(&fact)) {
      write(time, by, restarted->is_disk_lost ? "restarted without its disk" : "restarted");
    }
  }
  void handled(NodeId, TrueTime) {}
  void traced(const TraceEvent<Protocol>& event) { traced_.push_back(event.kind); }
  const std::vector<TraceEvent<Protocol>::Kind>& trace() const { return traced_; }

 private:
  const Deviation* at(const Anchor& anchor) override {
    for (const Deviation& deviation : script_) {
      if (deviation.anchor == anchor) {
        return &deviation;
      }
    }
    return nullptr;
  }
  void write(TrueTime time, NodeId process, std::string_view what) {
    log_.push_back(fmt::format("{}: {} {}", words(time), process.value, what));
  }
  static std::string_view name_of(Verb verb) {
    switch (verb) {
      case Verb::hear: return "heard";
      case Verb::found: return "found";
      case Verb::synced: return "synced";
      case Verb::woke: return "woke for";
      case Verb::work: return "works for";
      case Verb::tell_time: return "reads";
      case Verb::pass_on:
      case Verb::keep:
      case Verb::jot:
      case Verb::wake: return "";
    }
    return "";
  }

  std::vector<Deviation> script_;
  WorldOptions options_;
  World<Protocol, ToyWorld> world_;
  std::vector<std::string> log_;
  std::vector<TraceEvent<Protocol>::Kind> traced_;
};

}  // namespace shardcheck::sim::toy
