// Replaying a log: ApplyStore by entries and by batches, std::unordered_map beside it, and the simulated node's own.
#include <benchmark/benchmark.h>

#include "bench/replay_samples.h"
#include "impl/directory_state.h"
#include "impl/storage_state.h"
#include "sim/digest.h"

namespace shardcheck::bench {
namespace {

// Passes of one log over a store that has all of its keys. What a pass took into effect is what it is for.
template <class Store, class Replay>
void replay_passes(benchmark::State& state, Replay replay) {
  const auto keys = static_cast<std::size_t>(state.range(0));
  Store store;
  store.reserve(keys);
  for (const ReplayLog fill = ReplayLog::that_fills(keys); const impl::VersionedEntry& entry : fill.entries()) {
    store.apply(entry);
  }
  ReplayLog log = ReplayLog::of_changes(keys);
  std::uint64_t pass = 1;
  for (auto _ : state) {
    log.stamp(++pass);
    benchmark::DoNotOptimize(replay(store, log.entries()));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void apply_unordered_map(benchmark::State& state) {
  replay_passes<MapStore>(state, [](MapStore& store, std::span<const impl::VersionedEntry> entries) {
    std::size_t took_effect = 0;
    for (const impl::VersionedEntry& entry : entries) {
      took_effect += store.apply(entry) ? 1U : 0U;
    }
    return took_effect;
  });
}

void apply_single(benchmark::State& state) {
  replay_passes<impl::ApplyStore>(state, [](impl::ApplyStore& store, std::span<const impl::VersionedEntry> entries) {
    std::size_t took_effect = 0;
    for (const impl::VersionedEntry& entry : entries) {
      took_effect += store.apply(entry) == impl::ApplyOutcome::took_effect ? 1U : 0U;
    }
    return took_effect;
  });
}

void apply_batched(benchmark::State& state) {
  replay_passes<impl::ApplyStore>(state, [](impl::ApplyStore& store, std::span<const impl::VersionedEntry> entries) {
    return store.apply(entries).took_effect;
  });
}

// New keys into an empty store whose index grows on the way.
void fill_batched(benchmark::State& state) {
  const ReplayLog fill = ReplayLog::that_fills(static_cast<std::size_t>(state.range(0)));
  double bytes_per_key = 0;
  for (auto _ : state) {
    impl::ApplyStore store;
    benchmark::DoNotOptimize(store.apply(fill.entries()).took_effect);
    bytes_per_key =
        static_cast<double>(store.arena().allocated_bytes() + store.index_bytes()) / static_cast<double>(store.size());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes_per_key"] = bytes_per_key;
}

// What a simulated node does with the records of a move: interned keys, values of 32 bytes, a digest kept up to date.
void apply_staged_records(benchmark::State& state) {
  const auto keys = static_cast<std::uint32_t>(state.range(0));
  const impl::ClusterOptions options{.shards = 1, .keys = keys};
  impl::StorageState node(options, NodeId{1});
  node.apply(impl::StagingBegun{impl::initial_records(options)[0]});
  std::vector<Key> log;
  for (std::uint32_t i = 0; i < keys; ++i) {
    log.push_back(Key{static_cast<std::uint32_t>(sim::mix(i) % keys)});
  }
  std::uint64_t position = 0;
  for (auto _ : state) {
    for (const Key key : log) {
      ++position;
      node.apply(impl::Staged{.shard = ShardId{0},
                              .cause = ApplyCause::replay,
                              .entry = {.key = key,
                                        .version = {Epoch{1}, LogPosition{position}},
                                        .value = number(static_cast<std::int64_t>(position)),
                                        .request = {}}});
    }
  }
  benchmark::DoNotOptimize(node.copy(ShardId{0}).digest);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void with_keys(benchmark::internal::Benchmark* it) {
  it->ArgName("keys")->Unit(benchmark::kMicrosecond)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);
}

BENCHMARK(apply_unordered_map)->Apply(with_keys);
BENCHMARK(apply_single)->Apply(with_keys);
BENCHMARK(apply_batched)->Apply(with_keys);
BENCHMARK(fill_batched)->Apply(with_keys);
BENCHMARK(apply_staged_records)->Apply(with_keys);

}  // namespace
}  // namespace shardcheck::bench

BENCHMARK_MAIN();
