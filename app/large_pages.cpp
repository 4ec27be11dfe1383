// The program's operator new.
#include "histories/large_pages.h"

#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  void* const memory = shardcheck::histories::allocate_in_large_pages(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
