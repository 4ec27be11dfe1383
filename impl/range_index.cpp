#include "impl/range_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "impl/placement/bisect_table.h"
#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

// The first eight bytes as a number, missing ones as zeros. Numbers that differ compare like the strings; of strings
// with the same number nothing is known: one may be a prefix of the other, or go on with zero bytes.
std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  if (text.size() >= sizeof(number)) {
    std::memcpy(&number, text.data(), sizeof(number));
    return std::endian::native == std::endian::little ? std::byteswap(number) : number;
  }
  for (std::size_t index = 0; index < text.size(); ++index) {
    number |= std::uint64_t{static_cast<unsigned char>(text[index])} << (56 - 8 * index);
  }
  return number;
}

std::string common_of(std::span<const std::string_view> starts) {
  if (starts.size() < 2) {
    return {};
  }
  // They ascend, so what the first and the last have in common, all have.
  const std::string_view first = starts[1];
  const std::string_view last = starts.back();
  const auto [end, other] = std::mismatch(first.begin(), first.end(), last.begin(), last.end());
  return {first.begin(), end};
}

std::string text_of(std::span<const std::string_view> starts) {
  std::string text;
  for (const std::string_view start : starts) {
    text += start;
  }
  return text;
}

PageArray<std::uint32_t> offsets_of(std::span<const std::string_view> starts) {
  PageArray<std::uint32_t> offsets(starts.size() + 1);
  std::size_t offset = 0;
  for (std::size_t range = 0; range < starts.size(); ++range) {
    SHARDCHECK_ASSERT(range == 0 ? starts[range].empty() : starts[range - 1] < starts[range]);
    offset += starts[range].size();
    SHARDCHECK_ASSERT(offset <= std::numeric_limits<std::uint32_t>::max());
    offsets[range + 1] = static_cast<std::uint32_t>(offset);
  }
  return offsets;
}

PageArray<std::uint64_t> prefixes_of(std::span<const std::string_view> starts, std::size_t from) {
  PageArray<std::uint64_t> prefixes(starts.size() - 1);
  for (std::size_t rank = 0; rank < prefixes.size(); ++rank) {
    prefixes[rank] = number_of(starts[rank + 1].substr(from));
  }
  return prefixes;
}

EytzingerTable<std::uint64_t, std::uint32_t> tree_of(std::span<const std::uint64_t> prefixes) {
  std::vector<std::uint32_t> ranks(prefixes.size());
  std::iota(ranks.begin(), ranks.end(), 0U);
  return {prefixes, ranks, static_cast<std::uint32_t>(prefixes.size())};
}

}  // namespace

RangeIndex::RangeIndex(std::span<const std::string_view> starts)
    : text_(text_of(starts)),
      offsets_(offsets_of(starts)),
      common_(common_of(starts)),
      prefixes_(starts.empty() ? PageArray<std::uint64_t>() : prefixes_of(starts, common_.size())),
      tree_(tree_of(prefixes_.values())) {
  SHARDCHECK_ASSERT(!starts.empty());
}

std::uint32_t RangeIndex::range_of(std::string_view key) const noexcept {
  const int compared = compare_with_common(key);
  if (compared != 0) {
    return compared < 0 ? 0 : static_cast<std::uint32_t>(size() - 1);
  }
  const std::uint64_t prefix = prefix_of(key);
  return range_at_node(tree_.node_at(prefix), prefix, key);
}

void RangeIndex::ranges_of(std::span<const std::string_view> keys, std::span<std::uint32_t> ranges) const noexcept {
  std::array<std::uint64_t, kBatchGroup> prefixes;
  std::array<std::size_t, kBatchGroup> nodes;
  for (std::size_t from = 0; from < keys.size(); from += kBatchGroup) {
    const std::size_t count = std::min(kBatchGroup, keys.size() - from);
    std::uint32_t others = 0;  // a bit for each key that does not start with what is common
    for (std::size_t index = 0; index < count; ++index) {
      const bool is_other = compare_with_common(keys[from + index]) != 0;
      others |= std::uint32_t{is_other} << index;
      prefixes[index] = is_other ? 0 : prefix_of(keys[from + index]);
    }
    tree_.nodes_at(std::span(prefixes).first(count), nodes);
    for (std::size_t index = 0; index < count; ++index) {
      const std::string_view key = keys[from + index];
      const bool is_other = (others >> index & 1U) != 0;
      ranges[from + index] = is_other ? range_of(key) : range_at_node(nodes[index], prefixes[index], key);
    }
  }
}

int RangeIndex::compare_with_common(std::string_view key) const noexcept {
  return key.substr(0, common_.size()).compare(common_);
}

std::uint64_t RangeIndex::prefix_of(std::string_view key) const noexcept {
  return number_of(key.substr(common_.size()));
}

// Boundary 0 is in no table, so as many boundaries as lie below the key are the number of its range.
std::uint32_t RangeIndex::range_at_node(std::size_t node, std::uint64_t prefix, std::string_view key) const noexcept {
  const std::uint32_t below = tree_.record_of(node);
  if (tree_.has_position(node, prefix)) [[unlikely]] {
    return range_among_equals(below, prefix, key);
  }
  return below;
}

// The last range from `range` on whose boundary has this prefix and is not above the key.
std::uint32_t RangeIndex::range_among_equals(std::size_t range, std::uint64_t prefix,
                                             std::string_view key) const noexcept {
  const std::span<const std::uint64_t> rest = prefixes_.values().subspan(range);
  const bool is_last_number = prefix == std::numeric_limits<std::uint64_t>::max();
  std::size_t length = is_last_number ? rest.size() : count_below(rest, prefix + 1);
  while (length > 0) {
    const std::size_t half = length / 2;
    if (start_of(range + half + 1) <= key) {
      range += half + 1;
      length -= half + 1;
    } else {
      length = half;
    }
  }
  return static_cast<std::uint32_t>(range);
}

}  // namespace shardcheck::impl
