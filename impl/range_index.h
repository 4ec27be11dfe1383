// The lookup table of a directory of ranges: which range a key, a byte string, belongs to. Immutable once built, so any
// number of threads may share one; a lookup takes no lock and allocates nothing.
//
// A bisection that compares strings waits for the memory of a string at each step. Here each boundary is represented by
// the eight bytes behind what all boundaries have in common, as a big-endian number, so that numbers compare like the
// strings; they are searched as an implicit tree (eytzinger_table.h), and strings are compared in full only among the
// boundaries whose eight bytes equal those of the key. That is rare unless many boundaries agree in these bytes as
// well, as those of many ranges in one long-named tenant do: then a lookup costs a bisection among them on top.
//
// 20 bytes a range, the bytes of its boundary apart. O(log ranges).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "impl/page_array.h"
#include "impl/placement/eytzinger_table.h"

namespace shardcheck::impl {

class RangeIndex {
 public:
  // Range r has the keys from starts[r] on, up to but not including starts[r + 1]; the last one has no end. `starts`
  // are ascending and distinct, the first one is empty so that every key has a range, and there are fewer than 2^32
  // bytes of them. They are copied.
  explicit RangeIndex(std::span<const std::string_view> starts);

  std::size_t size() const noexcept { return offsets_.size() - 1; }
  std::size_t bytes() const noexcept {
    return prefixes_.bytes() + tree_.bytes() + offsets_.bytes() + text_.size() + common_.size();
  }

  // The range of a key.
  std::uint32_t range_of(std::string_view key) const noexcept;

  // The ranges of many keys; both spans are equally long. Several are looked up at once.
  void ranges_of(std::span<const std::string_view> keys, std::span<std::uint32_t> ranges) const noexcept;

 private:
  std::string_view start_of(std::size_t range) const noexcept {
    return std::string_view(text_).substr(offsets_[range], offsets_[range + 1] - offsets_[range]);
  }
  // How the key compares with the bytes that all boundaries start with: below 0, 0 if it has them, above 0.
  int compare_with_common(std::string_view key) const noexcept;
  std::uint64_t prefix_of(std::string_view key) const noexcept;
  std::uint32_t range_at_node(std::size_t node, std::uint64_t prefix, std::string_view key) const noexcept;
  std::uint32_t range_among_equals(std::size_t range, std::uint64_t prefix, std::string_view key) const noexcept;

  std::string text_;                                   // all boundaries, one behind the other
  PageArray<std::uint32_t> offsets_;                   // where each starts; one more at the end
  std::string common_;                                 // what all boundaries but the first start with
  PageArray<std::uint64_t> prefixes_;                  // of all boundaries but the first
  EytzingerTable<std::uint64_t, std::uint32_t> tree_;  // of prefixes_; its records are how many lie below
};

}  // namespace shardcheck::impl
