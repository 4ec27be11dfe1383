// Runs a list of steps on any System and judges what happened: a phase of steps under faults, then everything is
// healed, waited for, and read once more.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "harness/reach.h"
#include "harness/run_figures.h"
#include "histories/checker.h"
#include "histories/history.h"
#include "spec/judge.h"
#include "spec/system.h"

namespace shardcheck::harness {

// What one run gave. A clause with no checks and no violation was not observable in it.
struct RunReport {
  std::array<std::uint64_t, kClauses> checks{};
  std::vector<Violation> violations;  // of each clause the first, in order of time
  std::uint64_t events = 0;
  std::uint64_t digest = 0;
  std::uint64_t operations = 0;
  bool is_undecided = false;   // the history checker ran out of its budget
  bool was_cut_short = false;  // the run hit the bound on its work
  Reach reached;
  std::bitset<3> signals;  // those that were given
  RunFigures figures;

  std::uint64_t checked(ClauseId id) const { return checks[static_cast<std::size_t>(id)]; }
  const Violation* violation_of(ClauseId id) const;
};

// Keeps its memory from one run to the next. Not for two threads at once.
class Runner final : private ObservationSink {
 public:
  Runner() : judge_(Bounds{}) {}

  const RunReport& run(System& system, const std::vector<Step>& steps);
  // Of the last run, for keeping and for pictures.
  const histories::History& history() const { return builder_.history(); }

 private:
  struct Client {
    std::deque<ClientStep> waiting;
    std::optional<ClientStep> running;
    std::uint32_t recorded = 0;  // the index of `running` in the history
    TrueTime gives_up_at;
    std::uint32_t last_sequence = 0;
  };

  void on(const Observed& observed) override;
  TrueTime stamp(TrueTime at);
  void take(const Returned& returned, TrueTime at);
  void note_reached(const Observed& observed);
  void start_waiting(System& system);
  void start(System& system, ClientId id, const ClientStep& step);
  void record_call(TrueTime at, ClientId id, const Operation& operation);
  void end(Client& client, const Outcome& outcome, TrueTime at);
  void record_end(const Client& client, const Outcome& outcome, TrueTime at);
  bool is_idle() const;
  bool advance(System& system, TrueTime until);
  void drain(System& system, Duration at_most);
  void settle(System& system);
  void read_everything(System& system);
  std::vector<std::uint16_t> connected(const System& system) const;
  bool probe(System& system, bool is_first);
  void scan_everything(System& system);
  void judge_history();
  histories::ValueId intern(const Value& value);

  Judge judge_;
  Bounds bounds_;
  RunReport report_;
  std::vector<Client> clients_;  // by ClientId
  histories::HistoryBuilder builder_;
  histories::Checker checker_;
  std::vector<RequestId> recorded_;   // by operation of the history
  std::vector<ShardRecord> records_;  // by ShardId, as committed
  const System* system_ = nullptr;    // of the run under way
  TrueTime last_stamp_;
  bool is_cut_short_ = false;
  bool probe_failed_ = false;  // a final read was not answered, of a key that somebody could serve
};

}  // namespace shardcheck::harness
