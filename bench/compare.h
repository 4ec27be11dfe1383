// Judges one set of figures against an earlier one: which benchmarks became faster or slower beyond what noise and the
// number of comparisons explain.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/baseline.h"
#include "bench/statistics.h"

namespace shardcheck::bench {

enum class Change {
  same,  // within noise, or by less than the threshold
  faster,
  slower,
  missing,  // the old one only: nothing was compared
  added,    // the new one only
  too_few,  // so few samples that no difference, however large, could be told from noise
};

struct CompareOptions {
  double threshold = 0.05;  // a smaller change of the median is none, however certain it is
  double level = 0.01;      // how likely one false alarm in the whole comparison may be
};

struct Comparison {
  std::string name;
  Change change = Change::same;
  // The rest is 0 for a benchmark that only one side has.
  double ratio = 0;           // new median / old median: above 1 is slower
  Interval ratio_interval{};  // of 95 %
  double p = 0;               // of the rank test, corrected for the number of comparisons
};

// Ascending by name.
std::vector<Comparison> compare(const Baseline& older, const Baseline& newer, const CompareOptions& options = {});

enum class CompareVerdict {
  held,  // everything that was there before was compared, and nothing became slower
  slower,
  undecided,  // nothing became slower, but something is missing, has too few samples, or there was nothing to compare
};

CompareVerdict verdict_of(std::span<const Comparison> comparisons);

// "same", "too few samples", ...
std::string_view to_string(Change change);

}  // namespace shardcheck::bench
