#include "impl/placement/key_ranges.h"

#include <algorithm>

#include "spec/assert.h"

namespace shardcheck::impl {

KeyRangesTable::KeyRangesTable(std::vector<std::string> boundaries)
    : members_("ranges"), boundaries_(std::move(boundaries)), owners_(boundaries_.size() + 1) {
  SHARDCHECK_ASSERT(boundaries_.empty() || !boundaries_.front().empty());
  SHARDCHECK_ASSERT(std::ranges::adjacent_find(boundaries_, std::ranges::greater_equal{}) == boundaries_.end());
}

PlacementPromises KeyRangesTable::promises() const {
  return {.determinism = Promise::within_bound,
          .movement = Promise::exactly,
          .movement_share = Promise::none,
          .balance = Promise::none,
          .has_sliding_lists = false};
}

Result<KeyRangesTable> KeyRangesTable::changed(MemberList members) const {
  KeyRangesTable next = *this;
  next.owners_ = move_partitions(owners_, members_, members);
  next.members_ = std::move(members);
  return next;
}

Result<KeyRangesTable> KeyRangesTable::split(std::string_view boundary) const {
  const auto place = std::ranges::lower_bound(boundaries_, boundary);
  if (boundary.empty() || (place != boundaries_.end() && *place == boundary)) {
    return fail(members_.scheme(), fmt::format("a range begins at '{}' already", boundary));
  }
  const auto range = place - boundaries_.begin();
  KeyRangesTable next = *this;
  next.boundaries_.insert(next.boundaries_.begin() + range, std::string(boundary));
  next.owners_.insert(next.owners_.begin() + range, owners_[static_cast<std::size_t>(range)]);
  return next;
}

std::size_t KeyRangesTable::bytes() const {
  std::size_t bytes = owners_.size() * sizeof(MemberIndex) + boundaries_.size() * sizeof(std::string);
  for (const std::string& boundary : boundaries_) {
    bytes += boundary.capacity() > std::string().capacity() ? boundary.capacity() + 1 : 0;  // what is not within it
  }
  return bytes;
}

std::uint64_t KeyRangesTable::partition_of(std::string_view key) const {
  return static_cast<std::uint64_t>(std::ranges::upper_bound(boundaries_, key) - boundaries_.begin());
}

Result<void> KeyRanges::split(std::string_view boundary) {
  Result<KeyRangesTable> next = table()->split(boundary);
  if (!next) {
    return std::unexpected<Error>(next.error());
  }
  put(*std::move(next));
  return {};
}

PlacementFactory key_ranges_factory() {
  return {.name = "ranges", .make = [](PlacementParameters) -> std::unique_ptr<Placement> {
            std::vector<std::string> boundaries;
            for (int number = 10; number <= 99; ++number) {
              boundaries.push_back(fmt::format("user:{}", number));
            }
            return std::make_unique<KeyRanges>(std::move(boundaries));
          }};
}

}  // namespace shardcheck::impl
