// Which function measures which promise of promises.tsv.
#include <array>

#include "bench/apply_measure.h"
#include "bench/lookup_measure.h"
#include "bench/promises.h"

namespace shardcheck::bench {
namespace {

struct Row {
  std::string_view name;
  Measure measure;
};

// One line a promise: {"name", [] { return measure_something(size); }}.
constexpr std::array kMeasures{
    Row{"ring_lookup_20k", [] { return measure_ring_lookup(20'000); }},
    Row{"replay_apply_100k", [] { return measure_replay_apply(100'000); }},
};

}  // namespace

Measure measure_of(std::string_view name) {
  for (const Row& row : kMeasures) {
    if (row.name == name) {
      return row.measure;
    }
  }
  return nullptr;
}

std::vector<std::string_view> measured_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kMeasures) {
    names.push_back(row.name);
  }
  return names;
}

}  // namespace shardcheck::bench
