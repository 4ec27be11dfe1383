// An array of plain values on huge pages, for tables that are read at random. Fixed in size once made; movable, not
// copyable. Its values are all zero at first. Throws std::bad_alloc when there is no memory, like std::vector.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "impl/page_block.h"

namespace shardcheck::impl {

template <class T>
class PageArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  PageArray() = default;
  explicit PageArray(std::size_t size) : size_(size) {
    if (size == 0) {
      return;
    }
    block_ = allocate_pages(size * sizeof(T));
    if (block_ == nullptr) {
      throw std::bad_alloc();
    }
    std::memset(block_.get(), 0, size * sizeof(T));
  }
  explicit PageArray(std::span<const T> values) : PageArray(values.size()) {
    if (!values.empty()) {
      std::memcpy(block_.get(), values.data(), values.size_bytes());
    }
  }
  PageArray(PageArray&& other) noexcept : block_(std::move(other.block_)), size_(std::exchange(other.size_, 0)) {}
  PageArray& operator=(PageArray&& other) noexcept {
    block_ = std::move(other.block_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }
  T* data() noexcept { return reinterpret_cast<T*>(block_.get()); }
  const T* data() const noexcept { return reinterpret_cast<const T*>(block_.get()); }
  T& operator[](std::size_t index) noexcept { return data()[index]; }
  const T& operator[](std::size_t index) const noexcept { return data()[index]; }
  std::span<const T> values() const noexcept { return {data(), size_}; }

 private:
  PageBlock block_;
  std::size_t size_ = 0;
};

}  // namespace shardcheck::impl
