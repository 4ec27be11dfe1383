// Judges a history of operations of one's own by a model of one's own (spec/model.h): is there an order of effects,
// each between its operation's invocation and return, that the model allows? For any model, also for one that leaves
// the object a choice; the price is time, which may be exponential in the operations that overlap, and is bounded by a
// budget. Never a wrong verdict.
//
// Deterministic in the history, the model and the budget, unless `is_out_of_time` is given; however many threads.
// What a model throws is thrown by check().
#pragma once

#include <cstdint>
#include <map>
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

}  // namespace detail

// The history may be in any order.
template <SequentialModel Model>
ModelReport check(const std::vector<Timed<typename Model::Operation>>& history, Model model,
                  const ModelBudget& budget = {}) {
  const std::vector<std::vector<std::uint32_t>> partitions =
      detail::partitions_of(model, std::span<const Timed<typename Model::Operation>>(history));
  ModelReport report;
  report.partitions.resize(partitions.size());
  const auto judge = [&](std::uint32_t part, const IsUnwanted& is_unwanted) {
    PartitionSearch<Model> search(model, history, partitions[part], budget, is_unwanted);
    report.partitions[part] = search.run();
    return report.partitions[part].verdict == Verdict::not_linearizable && !budget.judges_all;
  };
  report.partitions.resize(run_partitions(static_cast<std::uint32_t>(partitions.size()), budget.threads, judge));
  for (const PartitionVerdict& partition : report.partitions) {
    if (partition.verdict == Verdict::not_linearizable ||
        (partition.verdict == Verdict::undecided && report.verdict == Verdict::linearizable)) {
      report.verdict = partition.verdict;
    }
  }
  return report;
}

}  // namespace shardcheck::histories
