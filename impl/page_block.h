// Memory for tables that are read at random: on huge pages where the system has them, because otherwise nearly every
// access to a table of 100 MB also misses the cache of page addresses.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace shardcheck::impl {

struct FreePages {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};
using PageBlock = std::unique_ptr<std::byte[], FreePages>;

// At least so many bytes, not initialised, aligned to 4 KiB or better. Null when there is no memory.
inline PageBlock allocate_pages(std::size_t bytes) {
  constexpr std::size_t kPage = 4'096;
  constexpr std::size_t kHugePage = std::size_t{1} << 21U;
  const std::size_t alignment = bytes < kHugePage ? kPage : kHugePage;
  const std::size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
  PageBlock block(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
  if (block != nullptr && alignment == kHugePage) {
    madvise(block.get(), rounded, MADV_HUGEPAGE);  // only a wish: whether it is granted changes the speed alone
  }
  return block;
}

}  // namespace shardcheck::impl
