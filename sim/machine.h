// One process as a World keeps it: its state, its disk and clock, and whatever keeps it from being served right now.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/clock.h"
#include "sim/deviation.h"
#include "sim/disk.h"
#include "spec/fifo.h"
#include "spec/types.h"

namespace shardcheck::sim {

// What waits in the queue of a World, or in a process's inbox.
struct WorldEvent {
  enum class Kind : std::uint8_t { deliver, timer, synced, drain, restart };
  Kind kind;
  NodeId process;
  std::uint32_t incarnation;  // timer, synced, restart: void when the process has crashed since
  std::uint64_t argument;     // deliver: envelope; timer: token; synced: count
  Instant due{};              // timer: on the process's clock
};

template <class Protocol>
struct Machine {
  using Record = typename Protocol::Record;
  using Process = typename Protocol::Process;

  Process fresh;    // as configured, before its first input
  Process process;  // running
  Disk<Record> disk;
  Clock clock;
  Fifo<WorldEvent> inbox;  // arrived while it was busy or paused
  TrueTime busy_until;
  TrueTime paused_until;
  std::uint32_t incarnation = 0;
  bool is_up = false;
  bool is_disk_lost = false;  // since it was last started
  bool is_gone = false;       // lost for good: never started again
  bool is_syncing = false;
  bool wants_another_sync = false;
  std::optional<TrueTime> drain_at;  // the earliest time at which a look into the inbox is in the queue

  bool is_ready(TrueTime now) const { return busy_until <= now && paused_until <= now; }
  // Something that arrives now has to wait its turn.
  bool is_occupied(TrueTime now) const { return is_up && (!is_ready(now) || !inbox.is_empty()); }
  TrueTime ready_at(TrueTime now) const { return std::max({now, busy_until, paused_until}); }
  // A timer or a sync of an earlier incarnation is void.
  bool is_running(const WorldEvent& event) const { return is_up && incarnation == event.incarnation; }

  // As at the beginning of a run, but for `process`, whose memory waits for the start.
  void provide(Process&& configured, const std::vector<Record>& durable) {
    fresh = std::move(configured);
    disk.format(durable);
    inbox.clear();
    busy_until = paused_until = TrueTime{};
    incarnation = 0;
    is_up = is_disk_lost = is_gone = is_syncing = wants_another_sync = false;
    drain_at.reset();
  }
  void start(TrueTime now) {
    process = fresh;
    is_up = true;
    is_disk_lost = false;
    ++incarnation;
    is_syncing = wants_another_sync = false;
    busy_until = now;
  }
  // `deviation` says whether its disk is lost with it, or else how much of what was not synced is kept.
  void crash(const Deviation& deviation) {
    is_up = false;
    inbox.clear();
    paused_until = TrueTime{};
    disk.crash(deviation.kept_unsynced, deviation.torn);
    is_gone = deviation.kind == FaultKind::lost_for_good;
    if (deviation.kind == FaultKind::disk_lost) {
      disk.lose_everything();
      is_disk_lost = true;
    }
  }
};

}  // namespace shardcheck::sim
