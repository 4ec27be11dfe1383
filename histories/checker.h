// Judges a recorded history: is there an order of effects, each between its operation's invocation and return, in which
// every answer is the one that the sequential model of the key (spec/key_model.h) gives?
//
// Deterministic: verdicts, steps and explanations depend on the history and the options alone, unless `is_out_of_time`
// is given.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "histories/contradiction.h"
#include "histories/counters.h"
#include "histories/decision.h"
#include "histories/explanation.h"
#include "histories/history.h"
#include "histories/key_history.h"
#include "histories/logs.h"
#include "histories/reductions.h"
#include "histories/search.h"
#include "histories/unique_registers.h"
#include "histories/verdict.h"
#include "histories/written_logs.h"

namespace shardcheck::histories {

struct CheckOptions {
  // For each key by itself.
  std::uint64_t steps_max = 400'000'000;
  std::uint64_t memory_bytes_max = std::uint64_t{2} << 30U;  // beside the history itself
  // Asked now and then, in all phases; once it says true, what is not decided yet is undecided.
  std::function<bool()> is_out_of_time{};
  // Look for the first answer that cannot be explained. Costs a few more searches for each key that is violated.
  bool explains = true;
  Telling telling{};  // how explanations tell of histories that are not the whole of a file
  // Judge no more once a key is found to be violated; keys that are not decided by then are missing from the report.
  bool stops_at_first_violation = false;
  // Leave out the deciders in front of the search: for tests that compare the two.
  bool only_searches = false;
  Cutting cutting{};  // for tests
};

struct KeyVerdict {
  ValueId key;               // of the history's table; absent: the history is one of transactions over all keys
  std::uint32_t number = 0;  // of the key, in the order in which the keys of the history appear
  Verdict verdict = Verdict::undecided;
  // What decided: "trivial", "zones" (values written once), "log", "counter", "search", "windows" (the
  // search of a history that was cut), or "none".
  std::string_view method;
  Shortage shortage = Shortage::none;  // when undecided
  std::uint64_t operations = 0;
  std::uint64_t steps = 0;
  std::optional<Explanation> explanation;     // only when not linearizable, and the budget allowed to find it
  std::optional<LinearizablePrefix> reached;  // of a key that is undecided: a beginning that was decided
};

struct CheckReport {
  Verdict verdict = Verdict::linearizable;  // violated if any key is, else undecided if any key is
  std::vector<KeyVerdict> keys;             // those judged, in the order in which they appear
  std::uint64_t keys_not_judged = 0;        // a violation stopped it before (CheckOptions::stops_at_first_violation)
  std::uint64_t operations = 0;

  std::uint64_t count(Verdict wanted) const;
};

// Judges keys in rounds: the first without any search, each later one with more steps, so that what is decided easily
// waits for nothing that is hard. A key takes about twice the steps for that, at worst, that one search would take.
//
// Keeps its buffers from one history to the next: use one for many. Not for two threads at once.
class Checker {
 public:
  CheckReport check(const History& history, const CheckOptions& options = {});

 private:
  struct Judgement {
    Decision decision;
    std::string_view method = "none";
    Shortage shortage = Shortage::none;
    std::uint64_t steps = 0;
    bool is_open = true;  // more steps may decide it
  };
  // What judge() may do.
  struct Effort {
    bool decides_by_structure = true;
    std::optional<std::uint64_t> steps_max;  // of a search; without, there is none
  };

  static Effort full_effort(const CheckOptions& options);

  // Of each key; all are closed at the end, unless a violation stopped it.
  std::vector<Judgement> judge_in_rounds(std::uint32_t keys, const CheckOptions& options);
  // A round of one key; adds to what was found out about it before.
  void judge_key(std::uint32_t key, const Effort& effort, const CheckOptions& options, Judgement& judgement);
  KeyVerdict tell(const History& history, std::uint32_t key, const Judgement& judgement, const CheckOptions& options);
  // Changes `history`.
  Judgement judge(KeyHistory& history, const Effort& effort, const CheckOptions& options);
  // The seam for deciders of one structure: they stand in here, in front of the search.
  MaybeDecision decide_by_structure(const KeyHistory& history, Structure structure);
  // A key that was not decided as a whole: how far it can be decided, if that does not refute it after all.
  void look_how_far(const History& history, std::uint32_t key, const CheckOptions& options, KeyVerdict& verdict);
  std::optional<Explanation> explain(const History& history, std::uint32_t key, const Judgement& refuted,
                                     const CheckOptions& options);
  // What judges histories for an explanation; must not outlive the checker.
  Decide decider(const CheckOptions& options, std::uint64_t steps_max);

  Partition partition_;
  KeyHistory whole_;
  KeyHistory reduced_;
  Reducer reducer_;
  UniqueRegisters unique_registers_;
  Logs logs_;
  WrittenLogs written_logs_;
  Counters counters_;
  Search search_;
};

// For one history.
CheckReport check(const History& history, const CheckOptions& options = {});

}  // namespace shardcheck::histories
