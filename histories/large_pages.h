// Memory for long histories. A block that is touched for the first time costs the system a trip for each of its pages,
// which for a million operations takes longer than judging them does; so large blocks ask for large pages. For programs
// that put it under operator new; what it returns is freed by std::free.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>

namespace shardcheck::histories {

// Null when there is none. The system may leave the pages small: that decides about time only.
inline void* allocate_in_large_pages(std::size_t size) {
  constexpr std::size_t kPage = std::size_t{2} << 20U;
  if (size < 2 * kPage || size > static_cast<std::size_t>(-1) - kPage) {
    return std::malloc(size);
  }
  const std::size_t rounded = (size + kPage - 1) / kPage * kPage;
  void* const memory = std::aligned_alloc(kPage, rounded);
  if (memory != nullptr) {
    madvise(memory, rounded, MADV_HUGEPAGE);
  }
  return memory;
}

}  // namespace shardcheck::histories
