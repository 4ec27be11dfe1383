// Every layout of a lookup table at every size, one by one, in batches and dependent, and beside them what memory
// allows; with hashing; directories of ranges; how long a table takes to build.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>

#include "bench/key_samples.h"
#include "bench/lookup_peers.h"
#include "bench/memcached_ring.h"
#include "bench/memory_limit.h"
#include "bench/point_samples.h"
#include "bench/ring_samples.h"
#include "impl/placement/bisect_table.h"
#include "impl/placement/eytzinger_table.h"
#include "impl/placement/line_table.h"
#include "impl/range_index.h"

namespace shardcheck::bench {
namespace {

using namespace impl;

constexpr std::size_t kAsked = 4'096;  // questions of a batch; a power of two, like the number of questions

// Made once and kept, because the program runs each row many times in random order.
template <class Made, class Argument>
const Made& kept(Argument argument) {
  static std::map<Argument, std::unique_ptr<Made>> made;
  std::unique_ptr<Made>& it = made[argument];
  if (it == nullptr) {
    it = std::make_unique<Made>(argument);
  }
  return *it;
}

template <class Position>
struct Questions {
  explicit Questions(std::size_t points) : asked(uniform_questions<Position>(questions_for(points))) {}
  std::vector<Position> asked;
};

template <class Table>
struct Built {
  explicit Built(std::size_t points) : table(PointSamples<typename Table::PositionType>(points).list()) {}
  Table table;
};

std::size_t size_of(const benchmark::State& state) { return static_cast<std::size_t>(state.range(0)); }

template <class Table>
void one_by_one(benchmark::State& state) {
  using Position = typename Table::PositionType;
  const Table& table = kept<Built<Table>>(size_of(state)).table;
  const std::vector<Position>& asked = kept<Questions<Position>>(size_of(state)).asked;
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.owner_at(asked[next]));
    next = (next + 1) & (asked.size() - 1);
  }
  state.counters["bytes_per_point"] = static_cast<double>(table.bytes()) / static_cast<double>(table.size());
}

// Time of a batch of 4,096 lookups; the counter says the time of one.
template <class Table>
void batched(benchmark::State& state) {
  using Position = typename Table::PositionType;
  const Table& table = kept<Built<Table>>(size_of(state)).table;
  const std::span<const Position> asked = kept<Questions<Position>>(size_of(state)).asked;
  std::vector<MemberIndex> owners(kAsked);
  std::size_t next = 0;
  for (auto _ : state) {
    table.owners_at(asked.subspan(next, kAsked), owners);
    benchmark::DoNotOptimize(owners.data());
    benchmark::ClobberMemory();
    next = (next + kAsked) & (asked.size() - 1);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kAsked));
}

template <class Table>
void dependent(benchmark::State& state) {
  using Position = typename Table::PositionType;
  const Table& table = kept<Built<Table>>(size_of(state)).table;
  const std::vector<Position>& asked = kept<Questions<Position>>(size_of(state)).asked;
  std::size_t next = 0;
  MemberIndex last = 0;
  for (auto _ : state) {
    last = table.owner_at(asked[next] ^ last);
    next = (next + 1) & (asked.size() - 1);
  }
  benchmark::DoNotOptimize(last);
}

template <class Position>
void build_line_table(benchmark::State& state) {
  const PointSamples<Position> samples(size_of(state));
  for (auto _ : state) {
    benchmark::DoNotOptimize(LineTable<Position>(samples.list()).bytes());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// Of as many bytes as the lines of a LineTable have at so many points: time of 4,096 reads.
std::size_t lines_bytes(std::size_t points) { return (points * 10 / 60 + 1) * 64; }

void memory_reads(benchmark::State& state) {
  const RandomReads& memory = kept<RandomReads>(lines_bytes(size_of(state)));
  const std::span<const std::uint32_t> asked = kept<Questions<std::uint32_t>>(size_of(state)).asked;
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(memory.read_independently(asked.subspan(next, kAsked)));
    next = (next + kAsked) & (asked.size() - 1);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kAsked));
}

void memory_chase(benchmark::State& state) {
  const RandomReads& memory = kept<RandomReads>(lines_bytes(size_of(state)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(memory.chase(kAsked));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kAsked));
}

struct Keys {
  explicit Keys(KeyKind kind) : keys(sample_keys(kind, std::size_t{1} << 16, 2)) {}
  std::vector<std::string> keys;
};

template <class OwnerOf>
void ask_keys(benchmark::State& state, const std::vector<std::string>& keys, OwnerOf owner_of) {
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(owner_of(keys[next]));
    next = (next + 1) & (keys.size() - 1);
  }
}

struct TwelveByteKeys {
  explicit TwelveByteKeys(std::size_t count) {
    impl::UniformNumbers numbers(2);
    while (keys.size() < count) {
      keys.push_back(fmt::format("user:{:07}", numbers.next() % 10'000'000));
    }
  }
  std::vector<std::string> keys;
};

#ifdef SHARDCHECK_HAS_XXHASH
std::uint64_t xxh3(std::string_view key) { return XXH3_64bits(key.data(), key.size()); }

void xxh3_of_key(benchmark::State& state) { ask_keys(state, kept<TwelveByteKeys>(std::size_t{1} << 16).keys, xxh3); }

template <class Table>
void xxh3_and_lookup(benchmark::State& state) {
  const Table& table = kept<Built<Table>>(size_of(state)).table;
  ask_keys(state, kept<TwelveByteKeys>(std::size_t{1} << 16).keys, [&](std::string_view key) {
    using Position = typename Table::PositionType;
    return table.owner_at(static_cast<Position>(xxh3(key) >> (64 - 8 * sizeof(Position))));
  });
}
#endif

void libmemcached_lookup(benchmark::State& state) {
  const Result<MemcachedRing> ring = MemcachedRing::of_servers(100);  // 16,000 points
  if (!ring) {
    state.SkipWithError(to_string(ring.error()).c_str());
    return;
  }
  ask_keys(state, kept<TwelveByteKeys>(std::size_t{1} << 16).keys,
           [&](std::string_view key) { return ring->owner_of(key); });
}

void preference_walk(benchmark::State& state) {
  const std::shared_ptr<const RingTable> table = ring_with_points(size_of(state)).table();
  const std::span<const std::uint32_t> asked = kept<Questions<std::uint32_t>>(size_of(state)).asked;
  std::size_t next = 0;
  for (auto _ : state) {
    PreferencesOfThree list;
    table->preference_list_at(asked[next], list);
    benchmark::DoNotOptimize(list);
    next = (next + 1) & (asked.size() - 1);
  }
}

void preference_packed(benchmark::State& state) {
  const PreferenceTable table = ring_with_points(size_of(state)).table()->pack_preferences();
  const std::span<const std::uint32_t> asked = kept<Questions<std::uint32_t>>(size_of(state)).asked;
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.at(asked[next]));
    next = (next + 1) & (asked.size() - 1);
  }
  state.counters["bytes_per_point"] = static_cast<double>(table.bytes()) / static_cast<double>(state.range(0));
}

template <KeyKind Kind>
std::vector<std::string> starts_asked_for(const benchmark::State& state) {
  return sample_starts(Kind, size_of(state));
}

template <KeyKind Kind>
void range_index(benchmark::State& state) {
  const std::vector<std::string> starts = starts_asked_for<Kind>(state);
  const RangeIndex index(views_of(starts));
  ask_keys(state, kept<Keys>(Kind).keys, [&](std::string_view key) { return index.range_of(key); });
}

template <KeyKind Kind>
void range_index_batched(benchmark::State& state) {
  const std::vector<std::string> starts = starts_asked_for<Kind>(state);
  const RangeIndex index(views_of(starts));
  const std::vector<std::string_view> keys = views_of(kept<Keys>(Kind).keys);
  std::vector<std::uint32_t> ranges(kAsked);
  std::size_t next = 0;
  for (auto _ : state) {
    index.ranges_of(std::span(keys).subspan(next, kAsked), ranges);
    benchmark::ClobberMemory();
    next = (next + kAsked) & (keys.size() - 1);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kAsked));
}

template <KeyKind Kind>
void range_sorted_vector(benchmark::State& state) {
  const std::vector<std::string> starts = starts_asked_for<Kind>(state);
  ask_keys(state, kept<Keys>(Kind).keys,
           [&](std::string_view key) { return std::upper_bound(starts.begin(), starts.end(), key) - starts.begin(); });
}

template <class Map, KeyKind Kind>
void range_map(benchmark::State& state) {
  Map range_of_start;
  for (const std::string& start : starts_asked_for<Kind>(state)) {
    range_of_start.emplace(start, static_cast<std::uint32_t>(range_of_start.size()));
  }
  ask_keys(state, kept<Keys>(Kind).keys,
           [&](std::string_view key) { return std::prev(range_of_start.upper_bound(key))->second; });
}

void with_points(benchmark::internal::Benchmark* it) {
  it->ArgName("points");
  for (const std::int64_t points : {100, 2'000, 20'000, 200'000, 2'000'000, 20'000'000}) {
    it->Arg(points);
  }
}

template <class Table>
void add_layout(const std::string& name) {
  benchmark::RegisterBenchmark((name + "/one_by_one").c_str(), one_by_one<Table>)->Apply(with_points);
  benchmark::RegisterBenchmark((name + "/batched").c_str(), batched<Table>)->Apply(with_points);
  benchmark::RegisterBenchmark((name + "/dependent").c_str(), dependent<Table>)->Apply(with_points);
}

template <class Position>
void add_layouts(const std::string& bits) {
  add_layout<LowerBoundTable<Position>>("lower_bound" + bits);
  add_layout<BranchFreeTable<Position>>("branch_free" + bits);
  add_layout<EytzingerTable<Position>>("eytzinger" + bits);
  add_layout<LineTable<Position>>("lines" + bits);
  benchmark::RegisterBenchmark(("build_lines" + bits).c_str(), build_line_table<Position>)
      ->ArgName("points")
      ->Unit(benchmark::kMillisecond)
      ->Arg(20'000)
      ->Arg(20'000'000);
}

template <KeyKind Kind>
void add_ranges(const std::string& kind) {
  using StandardMap = std::map<std::string, std::uint32_t, std::less<>>;
  const auto add = [&](const std::string& name, void (*run)(benchmark::State&)) {
    benchmark::RegisterBenchmark((name + "/" + kind).c_str(), run)->ArgName("ranges")->Arg(1'000)->Arg(100'000);
  };
  add("range_index", range_index<Kind>);
  add("range_index_batched", range_index_batched<Kind>);
  add("range_sorted_vector", range_sorted_vector<Kind>);
  add("range_std_map", range_map<StandardMap, Kind>);
#ifdef SHARDCHECK_HAS_ABSL
  add("range_absl_btree_map", range_map<absl::btree_map<std::string, std::uint32_t, std::less<>>, Kind>);
#endif
}

void add_all() {
  add_layouts<std::uint32_t>("32");
  add_layouts<std::uint64_t>("64");
  benchmark::RegisterBenchmark("memory_reads", memory_reads)->Apply(with_points);
  benchmark::RegisterBenchmark("memory_chase", memory_chase)->Apply(with_points);
#ifdef SHARDCHECK_HAS_XXHASH
  benchmark::RegisterBenchmark("xxh3_of_key", xxh3_of_key);
  benchmark::RegisterBenchmark("xxh3_and_lookup32", xxh3_and_lookup<LineTable<std::uint32_t>>)->Apply(with_points);
  benchmark::RegisterBenchmark("xxh3_and_lookup64", xxh3_and_lookup<LineTable<std::uint64_t>>)->Apply(with_points);
#endif
#ifdef SHARDCHECK_HAS_MEMCACHED
  benchmark::RegisterBenchmark("libmemcached_lookup", libmemcached_lookup);
#endif
  benchmark::RegisterBenchmark("preference_walk", preference_walk)->ArgName("points")->Arg(20'000)->Arg(2'000'000);
  benchmark::RegisterBenchmark("preference_packed", preference_packed)->ArgName("points")->Arg(20'000)->Arg(2'000'000);
  add_ranges<KeyKind::random>("random");
  add_ranges<KeyKind::numbered>("numbered");
}

}  // namespace
}  // namespace shardcheck::bench

int main(int argc, char** argv) {
  shardcheck::bench::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
