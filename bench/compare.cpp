#include "bench/compare.h"

#include <algorithm>
#include <map>

namespace shardcheck::bench {
namespace {

struct Pair {
  const Figures* older = nullptr;
  const Figures* newer = nullptr;
};

std::map<std::string, Pair> pairs_of(const Baseline& older, const Baseline& newer) {
  std::map<std::string, Pair> pairs;
  for (const Figures& figures : older.benchmarks) {
    pairs[figures.name].older = &figures;
  }
  for (const Figures& figures : newer.benchmarks) {
    pairs[figures.name].newer = &figures;
  }
  return pairs;
}

Change change_of(const Comparison& comparison, bool can_differ, const CompareOptions& options) {
  if (!can_differ) {
    return Change::too_few;
  }
  if (comparison.p >= options.level) {
    return Change::same;
  }
  if (comparison.ratio > 1 + options.threshold) {
    return Change::slower;
  }
  // As many times faster as the threshold is slower, so that swapping the two files swaps the verdicts.
  return comparison.ratio < 1 / (1 + options.threshold) ? Change::faster : Change::same;
}

}  // namespace

std::vector<Comparison> compare(const Baseline& older, const Baseline& newer, const CompareOptions& options) {
  const std::map<std::string, Pair> pairs = pairs_of(older, newer);
  std::vector<double> p_values;
  for (const auto& [name, pair] : pairs) {
    if (pair.older != nullptr && pair.newer != nullptr) {
      p_values.push_back(mann_whitney_p(pair.older->samples_ns, pair.newer->samples_ns));
    }
  }
  const std::vector<double> adjusted = holm_adjusted(p_values);

  std::vector<Comparison> comparisons;
  std::size_t next_p = 0;
  for (const auto& [name, pair] : pairs) {
    if (pair.older == nullptr || pair.newer == nullptr) {
      comparisons.push_back({.name = name, .change = pair.older == nullptr ? Change::added : Change::missing});
      continue;
    }
    const std::vector<double>& old_ns = pair.older->samples_ns;
    const std::vector<double>& new_ns = pair.newer->samples_ns;
    Comparison comparison{.name = name,
                          .ratio = median(new_ns) / median(old_ns),
                          .ratio_interval = bootstrap_ratio(old_ns, new_ns),
                          .p = adjusted[next_p]};
    ++next_p;
    const double p_min = mann_whitney_p_min(old_ns.size(), new_ns.size()) * static_cast<double>(p_values.size());
    comparison.change = change_of(comparison, p_min < options.level, options);
    comparisons.push_back(std::move(comparison));
  }
  return comparisons;
}

CompareVerdict verdict_of(std::span<const Comparison> comparisons) {
  const auto has = [&](Change change) {
    return std::any_of(comparisons.begin(), comparisons.end(),
                       [&](const Comparison& comparison) { return comparison.change == change; });
  };
  if (has(Change::slower)) {
    return CompareVerdict::slower;
  }
  const bool was_compared = has(Change::same) || has(Change::faster);
  return was_compared && !has(Change::missing) && !has(Change::too_few) ? CompareVerdict::held
                                                                        : CompareVerdict::undecided;
}

std::string_view to_string(Change change) {
  switch (change) {
    case Change::same: return "same";
    case Change::faster: return "faster";
    case Change::slower: return "slower";
    case Change::missing: return "missing";
    case Change::added: return "new";
    case Change::too_few: return "too few samples";
  }
  return "";
}

}  // namespace shardcheck::bench
