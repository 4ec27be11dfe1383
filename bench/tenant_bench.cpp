// The directory per tenant at ten million tenants: bytes a tenant, and lookups.
#include <benchmark/benchmark.h>

#include <cstdio>

#include "impl/placement/tenant_directory.h"

namespace shardcheck::bench {
namespace {

using impl::TenantDirectory;
using impl::TenantId;
using impl::TenantOwner;

constexpr TenantOwner kOwners = 1'000;

TenantId tenant_of(std::uint64_t number) {
  TenantId tenant{};
  for (std::size_t byte = 0; byte < 8; ++byte) {
    tenant.bytes[15 - byte] = static_cast<std::uint8_t>(number >> 8 * byte);
  }
  return tenant;
}

TenantDirectory directory_of(std::uint64_t tenants) {
  TenantDirectory directory;
  for (TenantOwner owner = 0; owner < kOwners; ++owner) {
    benchmark::DoNotOptimize(directory.add_owner("node-" + std::to_string(owner)).has_value());
  }
  for (std::uint64_t number = 0; number < tenants; ++number) {
    benchmark::DoNotOptimize(
        directory.place(tenant_of(number), static_cast<TenantOwner>(number % kOwners)).has_value());
  }
  return directory;
}

// Resident memory of this process, for what bytes() does not know.
std::uint64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  unsigned long long pages = 0;
  const bool is_read = file != nullptr && std::fscanf(file, "%*u %llu", &pages) == 1;
  if (file != nullptr) {
    std::fclose(file);
  }
  return is_read ? pages * 4'096 : 0;
}

void build_tenants(benchmark::State& state) {
  const auto tenants = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) {
    const std::uint64_t before = resident_bytes();
    const TenantDirectory directory = directory_of(tenants);
    state.counters["bytes_per_tenant"] = static_cast<double>(directory.bytes()) / static_cast<double>(tenants);
    state.counters["megabytes"] = static_cast<double>(directory.bytes()) / 1e6;
    state.counters["resident_megabytes"] = static_cast<double>(resident_bytes() - before) / 1e6;
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void find_tenant(benchmark::State& state) {
  const auto tenants = static_cast<std::uint64_t>(state.range(0));
  const TenantDirectory directory = directory_of(tenants);
  std::uint64_t number = 1;
  for (auto _ : state) {
    number = number * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    benchmark::DoNotOptimize(directory.find(tenant_of((number >> 32) * tenants >> 32)));
  }
}

BENCHMARK(build_tenants)
    ->ArgName("tenants")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->Arg(1'000'000)
    ->Arg(10'000'000);
BENCHMARK(find_tenant)->ArgName("tenants")->Arg(1'000'000)->Arg(10'000'000);

}  // namespace
}  // namespace shardcheck::bench

BENCHMARK_MAIN();
