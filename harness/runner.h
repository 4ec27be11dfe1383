// Runs a list of steps on any System and judges what happened: a phase of steps under faults, then everything is
// healed, waited for, read once more, written to and read again.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "harness/reach.h"
#include "harness/run_figures.h"
#include "harness/trace_sink.h"
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
  std::vector<std::size_t> not_applicable;  // steps, by number, about a range that did not exist then

  std::uint64_t checked(ClauseId id) const { return checks[static_cast<std::size_t>(id)]; }
  const Violation* violation_of(ClauseId id) const;
};

// Keeps its memory from one run to the next. Not for two threads at once.
class Runner final : private ObservationSink {
 public:
  Runner() : judge_(Bounds{}) {}

  // `trace` is told what the runner itself tells the judge: what clients ask, and what they give up.
  const RunReport& run(System& system, const std::vector<Step>& steps, TraceSink* trace = nullptr);
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
  void tell(const Observed& observed);
  TrueTime stamp(TrueTime at);
  void take(const Returned& returned, TrueTime at);
  void note_reached(const Observed& observed);
  bool is_of_missing_range(const Step& step) const;
  void start_waiting(System& system);
  void start(System& system, ClientId id, const ClientStep& step);
  void record_call(TrueTime at, ClientId id, const Operation& operation);
  void end(Client& client, const Outcome& outcome, TrueTime at);
  void record_end(const Client& client, const Outcome& outcome, TrueTime at);
  bool is_idle() const;
  bool advance(System& system, TrueTime until);
  void drain(System& system, Duration at_most);
  void settle(System& system);
  void ask_everything(System& system);
  bool is_first_of_range(Key key) const;
  void ask_until_served(System& system, const std::vector<Operation>& operations);
  std::vector<std::uint16_t> connected(const System& system) const;
  Value final_argument(OperationKind kind);
  bool are_served(System& system, const std::vector<Operation>& operations, bool is_first);
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
  TraceSink* trace_ = nullptr;        // of a run that is traced
  TrueTime last_stamp_;
  bool is_cut_short_ = false;
  bool was_refused_ = false;  // a final request was not answered, of a key that somebody could serve
  std::int64_t final_writes_ = 0;
  std::vector<OperationKind> changed_by_;  // by key, from the first one on: how clients changed it last
};

}  // namespace shardcheck::harness
