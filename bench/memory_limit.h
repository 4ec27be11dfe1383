// What memory itself allows: reads of cache lines at random places in as many bytes as a lookup table has, either
// independent of one another or each at a place that the last one told. No lookup that reads one line can be faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "impl/page_array.h"

namespace shardcheck::bench {

class RandomReads {
 public:
  // At least one line of 64 bytes; on huge pages from 2 MiB on, as the tables are.
  explicit RandomReads(std::size_t bytes);

  std::size_t bytes() const { return lines_.bytes(); }

  // Reads one line for each of the uniform numbers. Fetches a group of lines ahead where that is the faster way, as the
  // tables do. Returns what it read.
  std::uint64_t read_independently(std::span<const std::uint32_t> numbers) const;

  // Each line says where the next one is, around through all of them.
  std::uint64_t chase(std::size_t steps) const;

 private:
  struct alignas(64) Line {
    std::uint32_t next;
  };

  impl::PageArray<Line> lines_;
};

}  // namespace shardcheck::bench
