// A directory per tenant: who owns a tenant is written down, not computed. For services with millions of tenants of
// very different sizes: each can be put anywhere, a big one can be split into buckets, and one that is on its way is
// marked.
//
// A tenant is 16 bytes (a UUID, or a hash of a longer name). An entry is 20 bytes in open addressing (Knuth, TAOCP
// 3, 6.4: linear probing, and algorithm R for removal); 1,024 segments grow one at a time and by a fifth, so that the
// table is between 0.7 and 0.85 full and growing needs room for one segment more, not for a second table: 24 to 29
// bytes a tenant, 10 million in 243 MB (bench_tenant). What only few tenants have, buckets and the target of a move,
// stands beside the table.
//
// Not behind the seam of placement.h: a tenant that nobody placed has no owner, so laws about all keys say nothing of
// it. What it promises instead: a call changes the entry that it names and no other, one that fails changes nothing,
// and every answer is that of a plain map. P3 and P4 hold by that: nothing moves unless somebody moves it. Balance is
// its caller's.
//
// Lookup O(1) expected, no allocation. Ids are hashed, so numbered ones do no harm, but not with a secret: who can
// choose 16 arbitrary bytes can make lookups slow.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/error.h"

namespace shardcheck::impl {

struct TenantId {
  std::array<std::uint8_t, 16> bytes;

  friend auto operator<=>(const TenantId&, const TenantId&) = default;
};

using TenantOwner = std::uint16_t;  // the number of an owner in the order of add_owner
inline constexpr std::size_t kTenantOwnersMax = 65'535;
inline constexpr std::uint32_t kTenantBucketsMax = 65'536;

// Where requests of a tenant, or of one of its buckets, go. While it moves, still to the owner; the target gets the
// copy.
struct TenantPlace {
  TenantOwner owner = 0;
  std::optional<TenantOwner> target = std::nullopt;  // there while it moves

  friend bool operator==(const TenantPlace&, const TenantPlace&) = default;
};

class TenantDirectory {
 public:
  TenantDirectory();

  // Fails: an empty or known name, kTenantOwnersMax owners.
  Result<TenantOwner> add_owner(std::string name);
  std::string_view owner_name(TenantOwner owner) const { return owner_names_[owner]; }

  // Puts a tenant that is new, or one that neither moves nor is split, there at once: when no data has to follow.
  Result<void> place(const TenantId& tenant, TenantOwner owner);
  // With its buckets. Fails: unknown, or it moves.
  Result<void> remove(const TenantId& tenant);

  // Splits a tenant into buckets, all of them at its owner: a key is in bucket bucket_of(key, buckets). Fails: unknown,
  // it moves, it is split already, `buckets` not in [2, kTenantBucketsMax].
  Result<void> split(const TenantId& tenant, std::uint32_t buckets);
  // The other way. Fails also when the buckets are not all at one owner.
  Result<void> merge(const TenantId& tenant);
  static std::uint32_t bucket_of(std::string_view key, std::uint32_t buckets);

  // Moves the tenant, or a bucket of a split one. Begin fails: unknown, it moves, target is the owner; end and abort
  // fail: it does not move.
  Result<void> begin_move(const TenantId& tenant, std::optional<std::uint32_t> bucket, TenantOwner target);
  Result<void> end_move(const TenantId& tenant, std::optional<std::uint32_t> bucket);
  Result<void> abort_move(const TenantId& tenant, std::optional<std::uint32_t> bucket);

  // Of a split tenant the place of the key's bucket. Nothing: nobody placed this tenant.
  std::optional<TenantPlace> find(const TenantId& tenant, std::string_view key = {}) const;
  // 1 for a tenant that is not split, 0 for one that is not there.
  std::uint32_t buckets(const TenantId& tenant) const;

  std::uint64_t tenants() const { return tenants_; }
  // Tenants and buckets whose owner it is.
  std::uint64_t places_of(TenantOwner owner) const { return places_of_owner_[owner]; }
  // Of the table, and of what stands beside it, without what the allocator adds.
  std::uint64_t bytes() const;

 private:
  enum class State : std::uint8_t { free, still, moving, split };
  struct Entry {
    TenantId tenant{};
    TenantOwner owner = 0;
    State state = State::free;
    std::uint8_t unused = 0;
  };
  static_assert(sizeof(Entry) == 20);
  struct Segment {
    std::vector<Entry> entries;
    std::uint32_t used = 0;
  };
  using Move = std::pair<TenantId, std::optional<std::uint32_t>>;

  static std::uint64_t hash(const TenantId& tenant);
  static std::size_t home(std::uint64_t hash, std::size_t capacity);
  static Entry& slot_for(Segment& segment, const TenantId& tenant);
  static void grow(Segment& segment);
  const Entry* entry(const TenantId& tenant) const;
  Entry* entry(const TenantId& tenant);
  TenantOwner* owner_of(const TenantId& tenant, std::optional<std::uint32_t> bucket);
  Result<void> check_still(const TenantId& tenant) const;
  bool moves_a_bucket(const TenantId& tenant) const;
  Result<void> finish(const TenantId& tenant, std::optional<std::uint32_t> bucket, bool is_done);

  std::vector<Segment> segments_;
  std::map<TenantId, std::vector<TenantOwner>> buckets_;  // of split tenants
  std::map<Move, TenantOwner> targets_;                   // of what moves
  std::vector<std::string> owner_names_;
  std::vector<std::uint64_t> places_of_owner_;
  std::uint64_t tenants_ = 0;
};

}  // namespace shardcheck::impl
