#include "histories/checker.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "histories/classify_parts.h"
#include "histories/explain.h"
#include "histories/register_transactions.h"

namespace shardcheck::histories {
namespace {

// Of one verdict out of about a hundred that an explanation asks for.
constexpr std::uint64_t kStepsOfExplanation = 200'000;
// How far an undecided key got is found out with this part of its steps for each of at most twelve verdicts.
constexpr std::uint64_t kPartOfStepsToReach = 16;
// Of the rounds.
constexpr std::uint64_t kStepsOfFirstSearch = 8192;
constexpr std::uint64_t kStepsOfOperation = 16;
constexpr std::uint64_t kMoreEachRound = 64;

bool is_out_of_time(const CheckOptions& options) { return options.is_out_of_time && options.is_out_of_time(); }

// What forbids to begin with a key. What every key takes, whichever way it is decided, is linear.
Shortage shortage_before(std::uint64_t operations, const CheckOptions& options) {
  constexpr std::uint64_t kBytesPerOperation = 128;
  if (is_out_of_time(options)) {
    return Shortage::time;
  }
  return operations > options.memory_bytes_max / kBytesPerOperation ? Shortage::memory : Shortage::none;
}

std::string_view method_of(Structure structure) {
  switch (structure) {
    case Structure::registers: return "zones";
    case Structure::counter: return "counter";
    case Structure::log:
    case Structure::mixed: return "log";  // of the mixed ones only logs that are also written are decided
  }
  return "";
}

// Transactions over several registers are one object, of which no key is a part.
KeyVerdict judge_whole(const History& history, const CheckOptions& options) {
  const TransactionResult result =
      judge_transactions(history, {.steps_max = options.steps_max,
                                   .memory_bytes_max = options.memory_bytes_max,
                                   .is_out_of_time = options.is_out_of_time ? &options.is_out_of_time : nullptr});
  return {.key = kAbsent,
          .verdict = result.verdict,
          .method = "search",
          .shortage = result.shortage,
          .operations = history.transactions.size(),
          .steps = result.steps,
          .explanation = {},
          .reached = {}};
}

}  // namespace

std::uint64_t CheckReport::count(Verdict wanted) const {
  return static_cast<std::uint64_t>(std::ranges::count(keys, wanted, &KeyVerdict::verdict));
}

CheckReport Checker::check(const History& history, const CheckOptions& options) {
  CheckReport report;
  report.operations = history.operations.size();
  const std::uint32_t keys = partition_.cut(history);
  const std::vector<Judgement> judgements = judge_in_rounds(keys, options);
  for (std::uint32_t key = 0; key < keys; ++key) {
    if (judgements[key].is_open) {
      ++report.keys_not_judged;
    } else {
      report.keys.push_back(tell(history, key, judgements[key], options));
    }
  }
  if (!history.transactions.empty()) {
    report.operations += history.transactions.size();
    report.keys.push_back(judge_whole(history, options));
  }
  if (report.count(Verdict::not_linearizable) != 0) {
    report.verdict = Verdict::not_linearizable;
  } else if (report.count(Verdict::undecided) != 0) {
    report.verdict = Verdict::undecided;
  }
  return report;
}

std::vector<Checker::Judgement> Checker::judge_in_rounds(std::uint32_t keys, const CheckOptions& options) {
  std::vector<Judgement> judgements(keys);
  std::vector<std::uint32_t> open(keys);
  std::iota(open.begin(), open.end(), 0U);
  std::uint64_t steps_of_round = 0;
  for (bool is_first = true; !open.empty(); is_first = false) {
    const bool is_last = open.size() == 1 || steps_of_round >= options.steps_max;
    for (const std::uint32_t key : open) {
      Judgement& judgement = judgements[key];
      Effort effort{.decides_by_structure = is_first && !options.only_searches, .steps_max = {}};
      const std::uint64_t steps_left = options.steps_max - std::min(options.steps_max, judgement.steps);
      if (is_last) {
        effort.steps_max = steps_left;
      } else if (!is_first) {
        // Long ones get so much that an easy search comes to its end.
        const std::uint64_t more = kStepsOfOperation * partition_.operations_of(key);
        effort.steps_max = std::min(steps_left, steps_of_round + more);
      }
      judge_key(key, effort, options, judgement);
      judgement.is_open &= effort.steps_max != steps_left;
      if (judgement.decision.verdict == Verdict::not_linearizable && options.stops_at_first_violation) {
        return judgements;
      }
    }
    std::erase_if(open, [&](std::uint32_t key) { return !judgements[key].is_open; });
    if (is_first) {
      steps_of_round = std::min(kStepsOfFirstSearch, options.steps_max);
    } else {
      const bool is_enough = steps_of_round > options.steps_max / kMoreEachRound;
      steps_of_round = is_enough ? options.steps_max : steps_of_round * kMoreEachRound;
    }
  }
  return judgements;
}

void Checker::judge_key(std::uint32_t key, const Effort& effort, const CheckOptions& options, Judgement& judgement) {
  const std::uint64_t steps_before = judgement.steps;
  if (const Shortage shortage = shortage_before(partition_.operations_of(key), options); shortage != Shortage::none) {
    judgement.shortage = shortage;
    judgement.is_open = false;
    return;
  }
  partition_.key_history(key, reduced_);
  judgement = judge(reduced_, effort, options);
  judgement.steps += steps_before;
}

KeyVerdict Checker::tell(const History& history, std::uint32_t key, const Judgement& judgement,
                         const CheckOptions& options) {
  KeyVerdict verdict{.key = partition_.key(key),
                     .number = key,
                     .verdict = judgement.decision.verdict,
                     .method = judgement.method,
                     .shortage = judgement.shortage,
                     .operations = partition_.operations_of(key),
                     .steps = judgement.steps,
                     .explanation = {},
                     .reached = {}};
  if (!options.explains || is_out_of_time(options)) {
    return verdict;
  }
  if (verdict.verdict == Verdict::undecided && judgement.method != "none") {
    look_how_far(history, key, options, verdict);
  }
  if (verdict.verdict == Verdict::not_linearizable) {
    verdict.explanation = explain(history, key, judgement, options);
  }
  return verdict;
}

Checker::Judgement Checker::judge(KeyHistory& history, const Effort& effort, const CheckOptions& options) {
  Structure structure = reducer_.leave_out_idle(history);
  // Without an answer that must hold there is nothing to contradict.
  if (std::ranges::none_of(history.operations, &KeyOperation::has_returned)) {
    return {.decision = {.verdict = Verdict::linearizable}, .method = "trivial", .is_open = false};
  }
  // Deciders of logs and counters see for themselves what to make of operations that never returned.
  if (structure == Structure::registers) {
    structure = reducer_.reduce_pending(history, structure);
  }
  if (is_out_of_time(options)) {
    return {.decision = {}, .shortage = Shortage::time, .is_open = false};
  }
  if (effort.decides_by_structure) {
    if (const MaybeDecision decision = decide_by_structure(history, structure)) {
      return {.decision = *decision, .method = method_of(structure), .is_open = false};
    }
  }
  if (!effort.steps_max) {
    return {};
  }
  if (structure == Structure::log) {
    structure = reducer_.reduce_pending(history, structure);
  }
  // The key's history as it was, without what tells nothing, and in the order of its returns.
  constexpr std::uint64_t kBytesOfCopies = 3 * sizeof(KeyOperation);
  const std::uint64_t copies = history.operations.size() * kBytesOfCopies;
  const SearchLimits limits{.steps_max = *effort.steps_max,
                            .memory_bytes_max = options.memory_bytes_max - std::min(options.memory_bytes_max, copies),
                            .is_out_of_time = options.is_out_of_time ? &options.is_out_of_time : nullptr,
                            .cutting = options.cutting};
  const SearchResult result = search_.run(history, structure, limits);
  return {.decision = {.verdict = result.verdict, .suspect = result.suspect, .sound_until = result.sound_until},
          .method = result.is_by_windows ? "windows" : "search",
          .shortage = result.shortage,
          .steps = result.steps,
          .is_open = result.shortage == Shortage::steps};
}

Checker::Effort Checker::full_effort(const CheckOptions& options) {
  return {.decides_by_structure = !options.only_searches, .steps_max = options.steps_max};
}

MaybeDecision Checker::decide_by_structure(const KeyHistory& history, Structure structure) {
  switch (structure) {
    case Structure::registers: return unique_registers_.decide(history);
    case Structure::counter: return counters_.decide(history);
    case Structure::log: return logs_.decide(history);
    case Structure::mixed: return written_logs_.decide(history);
  }
  return std::nullopt;
}

void Checker::look_how_far(const History& history, std::uint32_t key, const CheckOptions& options,
                           KeyVerdict& verdict) {
  partition_.key_history(key, whole_);
  const Reach reach = reach_of(history, whole_, decider(options, options.steps_max / kPartOfStepsToReach));
  if (reach.is_violated) {
    verdict.verdict = Verdict::not_linearizable;
    verdict.shortage = Shortage::none;
  } else {
    verdict.reached = reach.prefix;
  }
}

// Whatever is linearizable stays so when its end is cut off, so the first return at which it stops being so can be
// found by bisection. The suspect, and the return before it, are looked at first. Each verdict is about the whole
// beginning and may take a search: so where a search refuted a register, the first return that is certainly stale is
// the suspect, which then takes one such verdict. Should even that be too much, it is what is explained.
std::optional<Explanation> Checker::explain(const History& history, std::uint32_t key, const Judgement& refuted,
                                            const CheckOptions& options) {
  partition_.key_history(key, whole_);
  const std::vector<const KeyOperation*> by_return = histories::by_return(whole_);
  const auto place_of = [&](Position position) {
    return static_cast<std::size_t>(std::ranges::lower_bound(by_return, position, {}, &KeyOperation::returned) -
                                    by_return.begin());
  };
  Checker fresh;  // of small buffers: most of what it is asked is tiny
  const Decide decide = fresh.decider(options, kStepsOfExplanation);
  const auto sound = std::ranges::upper_bound(by_return, refuted.decision.sound_until, {}, &KeyOperation::returned);
  auto low = static_cast<std::size_t>(sound - by_return.begin());
  std::size_t high = by_return.size() - 1;  // cut just after this one, it is known to be not linearizable
  const std::size_t guess = place_of(refuted.decision.suspect);
  std::vector<std::size_t> guesses{guess - 1, guess};  // the last one first; one that is out of range helps nothing
  const bool is_searched =
      structure_of(whole_) == Structure::registers && refuted.method != method_of(Structure::registers);
  std::optional<Explanation> certain;
  if (const std::optional<Position> stale = is_searched ? first_stale_return(whole_) : std::nullopt) {
    const std::size_t place = place_of(*stale);
    if (low <= place && place <= high && is_contradicted_nearby(whole_, *by_return[place], decide)) {
      high = place;
      guesses = {place - 1};
      certain = explain_answer(history, whole_, by_return, place, decide, options.telling);
      certain->prefix = prefix_of(history, by_return, low);
      certain->is_first = false;
    }
  }
  while (low < high) {
    std::size_t middle = low + (high - low) / 2;
    if (!guesses.empty()) {
      middle = low <= guesses.back() && guesses.back() < high ? guesses.back() : middle;
      guesses.pop_back();
    }
    cut_after(whole_, by_return[middle]->returned, reduced_);
    const Decision decision = judge(reduced_, full_effort(options), options).decision;
    if (decision.verdict == Verdict::undecided || is_out_of_time(options)) {
      return certain;
    }
    if (decision.verdict == Verdict::not_linearizable) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (certain && certain->operation == by_return[high]->source) {
    certain->prefix = prefix_of(history, by_return, high);
    certain->is_first = true;
    return certain;
  }
  return explain_answer(history, whole_, by_return, high, decide, options.telling);
}

Decide Checker::decider(const CheckOptions& options, std::uint64_t steps_max) {
  CheckOptions limited = options;
  limited.steps_max = std::min(options.steps_max, steps_max);
  return [this, limited = std::move(limited)](KeyHistory& history) {
    return judge(history, full_effort(limited), limited).decision.verdict;
  };
}

CheckReport check(const History& history, const CheckOptions& options) { return Checker().check(history, options); }

}  // namespace shardcheck::histories
