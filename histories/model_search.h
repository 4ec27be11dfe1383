// Judges a history of operations of one's own by a model of one's own (spec/model.h): is there an order of effects,
// each between its operation's invocation and return, that the model allows? For any model, also for one that leaves
// the object a choice; the price is time, which may be exponential in the operations that overlap, and is bounded by a
// budget. Never a wrong verdict.
//
// Deterministic in the history, the model and the budget, unless `is_out_of_time` is given; however many threads.
// What a model throws is thrown by check().
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "histories/model_partition.h"
#include "histories/run_partitions.h"
#include "histories/timed_operation.h"
#include "spec/model.h"

namespace shardcheck::histories {

namespace detail {

// Indices into the history, by partition, in the order in which these appear.
template <SequentialModel Model>
std::vector<std::vector<std::uint32_t>> partitions_of(Model& model,
                                                      std::span<const Timed<typename Model::Operation>> history) {
  std::vector<std::vector<std::uint32_t>> partitions;
  if constexpr (HasPartitions<Model>) {
    std::map<std::remove_cvref_t<decltype(model.partition(history[0].operation))>, std::size_t> number_of;
    for (std::uint32_t index = 0; index < history.size(); ++index) {
      const auto [found, is_new] = number_of.try_emplace(model.partition(history[index].operation), partitions.size());
      if (is_new) {
        partitions.emplace_back();
      }
      partitions[found->second].push_back(index);
    }
  } else {
    partitions.emplace_back(history.size());
    for (std::uint32_t index = 0; index < history.size(); ++index) {
      partitions[0][index] = index;
    }
  }
  return partitions;
}

// Judges partitions in rounds, each with more steps than the one before, so that one that is refuted easily is not
// waited for behind one that is hard.
template <SequentialModel Model>
class PartitionRounds {
 public:
  using History = std::vector<Timed<typename Model::Operation>>;

  PartitionRounds(const History& history, Model model, const ModelBudget& budget)
      : history_(history),
        model_(std::move(model)),
        budget_(budget),
        partitions_(partitions_of(model_, std::span<const Timed<typename Model::Operation>>(history))),
        verdicts_(partitions_.size()) {}

  // One verdict for each partition; or, after a violation, for those that were decided until then.
  std::vector<PartitionVerdict> run() {
    const bool are_all_wanted = budget_.judges_all || partitions_.size() == 1;
    std::uint64_t steps_max = are_all_wanted ? budget_.steps_max : std::min(kFirstRound, budget_.steps_max);
    std::vector<std::uint32_t> open(partitions_.size());
    std::iota(open.begin(), open.end(), 0U);
    while (!open.empty()) {
      run_round(open, steps_max);
      if (is_violated_ && !budget_.judges_all) {
        std::erase_if(verdicts_, [](const PartitionVerdict& each) { return each.verdict == Verdict::undecided; });
        break;
      }
      std::erase_if(open, [&](std::uint32_t part) {
        return verdicts_[part].shortage != Shortage::steps || steps_max == budget_.steps_max;
      });
      steps_max = steps_max > budget_.steps_max / kMoreEachRound ? budget_.steps_max : steps_max * kMoreEachRound;
    }
    return std::move(verdicts_);
  }

 private:
  static constexpr std::uint64_t kFirstRound = 8192;
  static constexpr std::uint64_t kMoreEachRound = 16;

  void run_round(const std::vector<std::uint32_t>& open, std::uint64_t steps_max) {
    ModelBudget budget = budget_;
    budget.steps_max = steps_max;
    std::vector<PartitionVerdict> found(open.size());
    const auto judge = [&](std::uint32_t place, const IsUnwanted& is_unwanted) {
      PartitionSearch<Model> search(model_, history_, partitions_[open[place]], budget, is_unwanted);
      found[place] = search.run();
      return found[place].verdict == Verdict::not_linearizable && !budget_.judges_all;
    };
    // What lies behind the first violation may have been cut short: it does not count.
    const std::uint32_t counted = run_partitions(static_cast<std::uint32_t>(open.size()), budget_.threads, judge);
    for (std::uint32_t place = 0; place < counted; ++place) {
      const std::uint64_t steps_before = verdicts_[open[place]].steps;
      verdicts_[open[place]] = std::move(found[place]);
      verdicts_[open[place]].steps += steps_before;
      verdicts_[open[place]].first_operation = partitions_[open[place]].empty() ? 0 : partitions_[open[place]].front();
      is_violated_ = is_violated_ || verdicts_[open[place]].verdict == Verdict::not_linearizable;
    }
  }

  const History& history_;
  Model model_;
  const ModelBudget& budget_;
  std::vector<std::vector<std::uint32_t>> partitions_;
  std::vector<PartitionVerdict> verdicts_;
  bool is_violated_ = false;
};

}  // namespace detail

// The history may be in any order, and must have less than 2^30 operations.
template <SequentialModel Model>
ModelReport check(const std::vector<Timed<typename Model::Operation>>& history, Model model,
                  const ModelBudget& budget = {}) {
  ModelReport report{.partitions = detail::PartitionRounds<Model>(history, std::move(model), budget).run()};
  for (const PartitionVerdict& partition : report.partitions) {
    if (partition.verdict == Verdict::not_linearizable ||
        (partition.verdict == Verdict::undecided && report.verdict == Verdict::linearizable)) {
      report.verdict = partition.verdict;
    }
  }
  return report;
}

}  // namespace shardcheck::histories
