// Which function measures which promise of promises.tsv.
#include <array>

#include "bench/apply_measure.h"
#include "bench/lookup_measure.h"
#include "bench/promises.h"
#include "bench/table_measure.h"

namespace shardcheck::bench {
namespace {

struct Row {
  std::string_view name;
  Measure measure;
};

// One line a promise: {"name", []() -> Result<Ratio> { return measure_something(size); }}.
constexpr std::array kMeasures{
    Row{"ring_lookup_20k", []() -> Result<Ratio> { return measure_ring_lookup(20'000); }},
    Row{"replay_apply_100k", []() -> Result<Ratio> { return measure_replay_apply(100'000); }},
    Row{"table_lookup_20k", []() -> Result<Ratio> { return measure_table_lookup(20'000); }},
    Row{"table_lookup_2m", []() -> Result<Ratio> { return measure_table_lookup(2'000'000); }},
    Row{"table_lookup_20m", []() -> Result<Ratio> { return measure_table_lookup(20'000'000); }},
    Row{"table_against_memory_20m", []() -> Result<Ratio> { return measure_table_against_memory(20'000'000); }},
    Row{"table_lookup_dependent_20k", []() -> Result<Ratio> { return measure_dependent_lookup(20'000); }},
    Row{"key_to_owner_20k", []() -> Result<Ratio> { return measure_key_to_owner(); }},
    Row{"preference_list_20k", []() -> Result<Ratio> { return measure_preference_list(20'000); }},
    Row{"range_lookup_btree_100k", []() -> Result<Ratio> { return measure_range_lookup_btree(100'000); }},
    Row{"range_lookup_map_100k", []() -> Result<Ratio> { return measure_range_lookup_map(100'000); }},
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
