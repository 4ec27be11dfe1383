// Lookups, balance, and changes of the ring.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/ring_samples.h"
#include "spec/placement_shares.h"

namespace shardcheck::bench {
namespace {

using impl::MemberIndex;
using impl::Ring;
using impl::RingTable;

constexpr std::size_t kQuestions = 16'384;  // a power of two

// Independent lookups: the next one does not wait for the answer of the last.
template <class Lookup>
void ask_positions(benchmark::State& state, Lookup lookup) {
  const std::vector<std::uint32_t> positions = uniform_positions(kQuestions);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(lookup(positions[next]));
    next = (next + 1) % kQuestions;
  }
}

std::size_t points_asked_for(const benchmark::State& state) { return static_cast<std::size_t>(state.range(0)); }

void lookup_map(benchmark::State& state) {
  const std::map<std::uint32_t, MemberIndex> tree = tree_of(ring_with_points(points_asked_for(state)));
  ask_positions(state, [&](std::uint32_t position) {
    const auto found = tree.lower_bound(position);
    return found == tree.end() ? tree.begin()->second : found->second;
  });
}

void lookup_lower_bound(benchmark::State& state) {
  std::vector<std::uint32_t> positions;
  std::vector<MemberIndex> owners;
  for (const auto& [position, owner] : tree_of(ring_with_points(points_asked_for(state)))) {
    positions.push_back(position);
    owners.push_back(owner);
  }
  ask_positions(state, [&](std::uint32_t position) {
    const auto found = std::lower_bound(positions.begin(), positions.end(), position);
    return owners[found == positions.end() ? 0 : static_cast<std::size_t>(found - positions.begin())];
  });
}

void lookup_branch_free_bisect(benchmark::State& state) {
  const std::shared_ptr<const RingTable> table = ring_with_points(points_asked_for(state)).table();
  ask_positions(state, [&](std::uint32_t position) { return table->owner_by_bisect(position); });
}

void lookup_ring(benchmark::State& state) {
  const std::shared_ptr<const RingTable> table = ring_with_points(points_asked_for(state)).table();
  ask_positions(state, [&](std::uint32_t position) { return table->owner_at(position); });
  state.counters["bytes_per_point"] = static_cast<double>(table->bytes()) / static_cast<double>(table->size());
}

// Each lookup waits for the one before: its position is changed by the answer, in a way that the CPU cannot foresee.
void lookup_ring_dependent(benchmark::State& state) {
  const std::shared_ptr<const RingTable> table = ring_with_points(points_asked_for(state)).table();
  const std::vector<std::uint32_t> positions = uniform_positions(kQuestions);
  std::size_t next = 0;
  std::uint32_t last_owner = 0;
  for (auto _ : state) {
    last_owner = table->owner_at(positions[next] ^ last_owner);
    next = (next + 1) % kQuestions;
  }
  benchmark::DoNotOptimize(last_owner);
}

std::vector<std::string> keys_to_ask() {
  std::vector<std::string> keys;
  for (const std::uint32_t position : uniform_positions(kQuestions)) {
    keys.push_back(fmt::format("user:{}", position % 10'000'000));
  }
  return keys;
}

// With hashing, by the seam: what owner(key) costs a caller.
void owner_of_key(benchmark::State& state) {
  const Ring ring = ring_with_points(points_asked_for(state));
  const std::vector<std::string> keys = keys_to_ask();
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ring.owner(keys[next]));
    next = (next + 1) % kQuestions;
  }
}

void hash_of_key(benchmark::State& state) {
  const std::vector<std::string> keys = keys_to_ask();
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(impl::ring_hash(keys[next]));
    next = (next + 1) % kQuestions;
  }
}

void preference_list_of_3(benchmark::State& state) {
  const std::shared_ptr<const RingTable> table = ring_with_points(points_asked_for(state)).table();
  ask_positions(state, [&](std::uint32_t position) {
    std::array<MemberIndex, 3> chosen;
    table->preference_list_at(position, chosen);
    return chosen[2];
  });
}

// The spread of shares, root mean square over the members and 40 rings of different names, beside the law
// sqrt((N-1)/(N V + 1)).
void balance(benchmark::State& state) {
  const std::size_t members = static_cast<std::size_t>(state.range(0));
  const std::uint32_t virtual_nodes = static_cast<std::uint32_t>(state.range(1));
  constexpr int kRings = 40;
  double squares = 0;
  for (auto _ : state) {
    squares = 0;
    for (int ring_number = 0; ring_number < kRings; ++ring_number) {
      std::vector<Member> named = equal_members(members);
      for (Member& member : named) {
        member.name = fmt::format("{}.{}", ring_number, member.name);
      }
      Ring ring({.parameters = {.virtual_nodes = virtual_nodes}});
      benchmark::DoNotOptimize(ring.add_all(named).has_value());
      for (const auto& [name, share] : shares_on_arcs(ring)) {
        const double relative = static_cast<double>(share) * static_cast<double>(members) / 4294967296.0 - 1;
        squares += relative * relative;
      }
    }
  }
  const double n = static_cast<double>(members);
  const double law = std::sqrt((n - 1) / (n * virtual_nodes + 1));
  const double spread = std::sqrt(squares / kRings / n);
  state.counters["spread"] = spread;
  state.counters["law"] = law;
  state.counters["spread/law"] = spread / law;
}

void build(benchmark::State& state) {
  const std::vector<Member> members = equal_members(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    Ring ring({.parameters = {.virtual_nodes = 200}});
    benchmark::DoNotOptimize(ring.add_all(members).has_value());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * 200);
}

// One member joins and leaves a ring of so many: two changes of the table.
void join_and_leave(benchmark::State& state) {
  Ring ring({.parameters = {.virtual_nodes = 200}});
  benchmark::DoNotOptimize(ring.add_all(equal_members(static_cast<std::size_t>(state.range(0)))).has_value());
  for (auto _ : state) {
    benchmark::DoNotOptimize(ring.add({.name = "node-guest"}).has_value());
    benchmark::DoNotOptimize(ring.remove("node-guest").has_value());
  }
}

void with_points(benchmark::internal::Benchmark* it) {
  it->ArgName("points");
  for (const std::int64_t points : {100, 2'000, 20'000, 200'000, 2'000'000}) {
    it->Arg(points);
  }
}

BENCHMARK(lookup_map)->Apply(with_points);
BENCHMARK(lookup_lower_bound)->Apply(with_points);
BENCHMARK(lookup_branch_free_bisect)->Apply(with_points);
BENCHMARK(lookup_ring)->Apply(with_points);
BENCHMARK(lookup_ring_dependent)->Apply(with_points);
BENCHMARK(owner_of_key)->Apply(with_points);
BENCHMARK(hash_of_key);
BENCHMARK(preference_list_of_3)->Apply(with_points);
BENCHMARK(balance)
    ->ArgNames({"members", "virtual_nodes"})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->ArgsProduct({{3, 10, 100}, {1, 10, 100, 1'000}});
BENCHMARK(build)->ArgName("members")->Unit(benchmark::kMillisecond)->Arg(10)->Arg(100)->Arg(1'000)->Arg(10'000);
BENCHMARK(join_and_leave)
    ->ArgName("members")
    ->Unit(benchmark::kMillisecond)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(10'000);

}  // namespace
}  // namespace shardcheck::bench

BENCHMARK_MAIN();
