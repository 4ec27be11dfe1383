#include "bench/memory_limit.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "impl/placement/point_table.h"
#include "spec/assert.h"

namespace shardcheck::bench {
namespace {

constexpr std::size_t kFastCacheBytes = std::size_t{1} << 19;

std::size_t place_of(std::uint32_t number, std::size_t lines) { return std::uint64_t{number} * lines >> 32U; }

}  // namespace

RandomReads::RandomReads(std::size_t bytes) : lines_(std::max<std::size_t>(bytes / sizeof(Line), 1)) {
  SHARDCHECK_ASSERT(lines_.size() < std::size_t{1} << 32U);
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    lines_[line].next = static_cast<std::uint32_t>(line);
  }
  // Sattolo's shuffle: one cycle through all lines. The numbers of a linear congruential generator (Knuth's MMIX).
  std::uint64_t state = 1;
  for (std::size_t line = lines_.size() - 1; line > 0; --line) {
    state = state * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    std::swap(lines_[line].next, lines_[(state >> 32U) * line >> 32U].next);
  }
}

std::uint64_t RandomReads::read_independently(std::span<const std::uint32_t> numbers) const {
  std::uint64_t sum = 0;
  const Line* const lines = lines_.data();
  const std::size_t count = lines_.size();
  for (std::size_t from = 0; from < numbers.size(); from += impl::kBatchGroup) {
    const auto group = numbers.subspan(from, std::min(impl::kBatchGroup, numbers.size() - from));
    if (bytes() > kFastCacheBytes) {
      for (const std::uint32_t number : group) {
        __builtin_prefetch(lines + place_of(number, count));
      }
    }
    for (const std::uint32_t number : group) {
      sum += lines[place_of(number, count)].next;
    }
  }
  return sum;
}

std::uint64_t RandomReads::chase(std::size_t steps) const {
  std::uint32_t line = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    line = lines_[line].next;
  }
  return line;
}

}  // namespace shardcheck::bench
