#include "impl/placement/tenant_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

constexpr std::size_t kSegments = 1'024;
constexpr std::size_t kCapacityMin = 8;
constexpr std::uint64_t kFullPercent = 85;

std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

std::uint64_t word_at(const TenantId& tenant, std::size_t first) {
  std::uint64_t word = 0;
  for (std::size_t number = first; number < first + 8; ++number) {
    word = word << 8 | tenant.bytes[number];
  }
  return word;
}

std::string named(const TenantId& tenant) {
  std::string text = "tenant ";
  for (const std::uint8_t byte : tenant.bytes) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

std::string named(const TenantId& tenant, std::optional<std::uint32_t> bucket) {
  return bucket ? fmt::format("{} bucket {}", named(tenant), *bucket) : named(tenant);
}

}  // namespace

TenantDirectory::TenantDirectory() : segments_(kSegments) {}

std::uint64_t TenantDirectory::hash(const TenantId& tenant) {
  return mixed(mixed(word_at(tenant, 0) + 0x9e3779b97f4a7c15) + word_at(tenant, 8));
}

// The low half decides within a segment, the high half chose the segment.
std::size_t TenantDirectory::home(std::uint64_t hash, std::size_t capacity) {
  return static_cast<std::size_t>((hash & 0xffffffff) * capacity >> 32);
}

// The tenant's entry, or the free one in which it would be looked for. The segment is never full.
TenantDirectory::Entry& TenantDirectory::slot_for(Segment& segment, const TenantId& tenant) {
  std::size_t at = home(hash(tenant), segment.entries.size());
  while (segment.entries[at].state != State::free && segment.entries[at].tenant != tenant) {
    at = at + 1 < segment.entries.size() ? at + 1 : 0;
  }
  return segment.entries[at];
}

void TenantDirectory::grow(Segment& segment) {
  Segment grown;
  grown.entries.resize(std::max(kCapacityMin, segment.entries.size() * 6 / 5));
  grown.used = segment.used;
  for (const Entry& kept : segment.entries) {
    if (kept.state != State::free) {
      slot_for(grown, kept.tenant) = kept;
    }
  }
  segment = std::move(grown);
}

TenantDirectory::Entry* TenantDirectory::entry(const TenantId& tenant) {
  Segment& segment = segments_[hash(tenant) >> 54];
  if (segment.entries.empty()) {
    return nullptr;
  }
  Entry& found = slot_for(segment, tenant);
  return found.state == State::free ? nullptr : &found;
}

const TenantDirectory::Entry* TenantDirectory::entry(const TenantId& tenant) const {
  return const_cast<TenantDirectory*>(this)->entry(tenant);
}

Result<TenantOwner> TenantDirectory::add_owner(std::string name) {
  if (name.empty() || std::ranges::find(owner_names_, name) != owner_names_.end()) {
    return fail("tenants", fmt::format("'{}' is no name for a new owner", name));
  }
  if (owner_names_.size() >= kTenantOwnersMax) {
    return fail("tenants", fmt::format("more than {} owners", kTenantOwnersMax));
  }
  owner_names_.push_back(std::move(name));
  places_of_owner_.push_back(0);
  return static_cast<TenantOwner>(owner_names_.size() - 1);
}

Result<void> TenantDirectory::check_still(const TenantId& tenant) const {
  const Entry* found = entry(tenant);
  if (found == nullptr) {
    return fail("tenants", named(tenant) + " is not there");
  }
  if (found->state != State::still) {
    return fail("tenants", named(tenant) + (found->state == State::split ? " is split" : " moves"));
  }
  return {};
}

Result<void> TenantDirectory::place(const TenantId& tenant, TenantOwner owner) {
  if (owner >= owner_names_.size()) {
    return fail("tenants", fmt::format("there is no owner {}", owner));
  }
  if (Entry* found = entry(tenant); found != nullptr) {
    if (Result<void> still = check_still(tenant); !still) {
      return still;
    }
    --places_of_owner_[found->owner];
    ++places_of_owner_[owner];
    found->owner = owner;
    return {};
  }
  Segment& segment = segments_[hash(tenant) >> 54];
  if ((segment.used + std::uint64_t{1}) * 100 > segment.entries.size() * kFullPercent) {
    grow(segment);
  }
  slot_for(segment, tenant) = {.tenant = tenant, .owner = owner, .state = State::still};
  ++segment.used;
  ++tenants_;
  ++places_of_owner_[owner];
  return {};
}

// Those behind the gap that may stand nearer to their home are moved into it, so that no lookup ends at a gap too
// early.
Result<void> TenantDirectory::remove(const TenantId& tenant) {
  Entry* gap = entry(tenant);
  if (gap == nullptr) {
    return fail("tenants", named(tenant) + " is not there");
  }
  if (gap->state == State::moving || moves_a_bucket(tenant)) {
    return fail("tenants", named(tenant) + " moves");
  }
  if (gap->state == State::split) {
    for (const TenantOwner owner : buckets_.at(tenant)) {
      --places_of_owner_[owner];
    }
    buckets_.erase(tenant);
  } else {
    --places_of_owner_[gap->owner];
  }
  Segment& segment = segments_[hash(tenant) >> 54];
  const std::size_t capacity = segment.entries.size();
  std::size_t free = static_cast<std::size_t>(gap - segment.entries.data());
  for (std::size_t at = (free + 1) % capacity; segment.entries[at].state != State::free; at = (at + 1) % capacity) {
    const std::size_t wanted = home(hash(segment.entries[at].tenant), capacity);
    const std::size_t from_home = (at + capacity - wanted) % capacity;
    const std::size_t from_gap = (at + capacity - free) % capacity;
    if (from_home >= from_gap) {
      segment.entries[free] = segment.entries[at];
      free = at;
    }
  }
  segment.entries[free] = Entry{};
  --segment.used;
  --tenants_;
  return {};
}

std::uint32_t TenantDirectory::bucket_of(std::string_view key, std::uint32_t buckets) {
  SHARDCHECK_ASSERT(buckets >= 1);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : key) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return static_cast<std::uint32_t>((mixed(hash) >> 32) * buckets >> 32);
}

Result<void> TenantDirectory::split(const TenantId& tenant, std::uint32_t buckets) {
  if (Result<void> still = check_still(tenant); !still) {
    return still;
  }
  if (buckets < 2 || buckets > kTenantBucketsMax) {
    return fail("tenants", fmt::format("{} buckets are not in 2..{}", buckets, kTenantBucketsMax));
  }
  Entry* found = entry(tenant);
  buckets_.emplace(tenant, std::vector<TenantOwner>(buckets, found->owner));
  places_of_owner_[found->owner] += buckets - 1;
  found->state = State::split;
  return {};
}

Result<void> TenantDirectory::merge(const TenantId& tenant) {
  const auto split = buckets_.find(tenant);
  if (split == buckets_.end()) {
    return fail("tenants", named(tenant) + " is not split");
  }
  const std::vector<TenantOwner>& owners = split->second;
  if (moves_a_bucket(tenant) || std::ranges::adjacent_find(owners, std::ranges::not_equal_to{}) != owners.end()) {
    return fail("tenants", named(tenant) + " has buckets that move or are not all at one owner");
  }
  Entry* found = entry(tenant);
  found->owner = owners[0];
  found->state = State::still;
  places_of_owner_[owners[0]] -= owners.size() - 1;
  buckets_.erase(split);
  return {};
}

bool TenantDirectory::moves_a_bucket(const TenantId& tenant) const {
  const auto first = targets_.lower_bound(Move{tenant, std::nullopt});
  return first != targets_.end() && first->first.first == tenant;
}

// Where the owner of what may move is written; nowhere when there is no such tenant or bucket.
TenantOwner* TenantDirectory::owner_of(const TenantId& tenant, std::optional<std::uint32_t> bucket) {
  if (bucket) {
    const auto split = buckets_.find(tenant);
    return split != buckets_.end() && *bucket < split->second.size() ? &split->second[*bucket] : nullptr;
  }
  Entry* found = entry(tenant);
  return found != nullptr && found->state != State::split ? &found->owner : nullptr;
}

Result<void> TenantDirectory::begin_move(const TenantId& tenant, std::optional<std::uint32_t> bucket,
                                         TenantOwner target) {
  const TenantOwner* owner = owner_of(tenant, bucket);
  if (owner == nullptr || target >= owner_names_.size()) {
    return fail("tenants", fmt::format("{} or owner {} is not there", named(tenant, bucket), target));
  }
  if (*owner == target) {
    return fail("tenants", fmt::format("{} is at '{}' already", named(tenant, bucket), owner_names_[target]));
  }
  if (!targets_.emplace(Move{tenant, bucket}, target).second) {
    return fail("tenants", named(tenant, bucket) + " moves already");
  }
  if (!bucket) {
    entry(tenant)->state = State::moving;
  }
  return {};
}

Result<void> TenantDirectory::finish(const TenantId& tenant, std::optional<std::uint32_t> bucket, bool is_done) {
  const auto move = targets_.find(Move{tenant, bucket});
  if (move == targets_.end()) {
    return fail("tenants", named(tenant, bucket) + " does not move");
  }
  TenantOwner* owner = owner_of(tenant, bucket);
  SHARDCHECK_ASSERT(owner != nullptr);
  if (is_done) {
    --places_of_owner_[*owner];
    *owner = move->second;
    ++places_of_owner_[*owner];
  }
  if (!bucket) {
    entry(tenant)->state = State::still;
  }
  targets_.erase(move);
  return {};
}

Result<void> TenantDirectory::end_move(const TenantId& tenant, std::optional<std::uint32_t> bucket) {
  return finish(tenant, bucket, true);
}

Result<void> TenantDirectory::abort_move(const TenantId& tenant, std::optional<std::uint32_t> bucket) {
  return finish(tenant, bucket, false);
}

std::optional<TenantPlace> TenantDirectory::find(const TenantId& tenant, std::string_view key) const {
  const Entry* found = entry(tenant);
  if (found == nullptr) {
    return std::nullopt;
  }
  if (found->state == State::still) {
    return TenantPlace{.owner = found->owner};
  }
  Move move{tenant, std::nullopt};
  TenantPlace place{.owner = found->owner};
  if (found->state == State::split) {
    const std::vector<TenantOwner>& owners = buckets_.at(tenant);
    move.second = bucket_of(key, static_cast<std::uint32_t>(owners.size()));
    place.owner = owners[*move.second];
  }
  if (const auto moving = targets_.find(move); moving != targets_.end()) {
    place.target = moving->second;
  }
  return place;
}

std::uint32_t TenantDirectory::buckets(const TenantId& tenant) const {
  const auto split = buckets_.find(tenant);
  if (split != buckets_.end()) {
    return static_cast<std::uint32_t>(split->second.size());
  }
  return entry(tenant) == nullptr ? 0 : 1;
}

std::uint64_t TenantDirectory::bytes() const {
  constexpr std::uint64_t kMapNode = 48;  // what a node of a map adds to its value, rounded up
  std::uint64_t bytes = sizeof(*this) + segments_.capacity() * sizeof(Segment);
  for (const Segment& segment : segments_) {
    bytes += segment.entries.capacity() * sizeof(Entry);
  }
  for (const auto& [tenant, owners] : buckets_) {
    bytes += kMapNode + sizeof(tenant) + sizeof(owners) + owners.capacity() * sizeof(TenantOwner);
  }
  for (const std::string& name : owner_names_) {
    bytes += sizeof(name) + name.capacity();
  }
  return bytes + targets_.size() * (kMapNode + sizeof(Move) + sizeof(TenantOwner)) +
         places_of_owner_.capacity() * sizeof(std::uint64_t);
}

}  // namespace shardcheck::impl
