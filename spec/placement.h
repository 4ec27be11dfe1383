// The seam for whoever has a placement scheme: a ring, rendezvous, hash mod N, a map of ranges. Members go in, the
// owner of a key comes out; placement_laws.h judges the answers against what the scheme promises.
//
// Keys and names are byte strings. A weight is a whole number in [1, kWeightMax]: a member of weight 2 should own twice
// what one of weight 1 owns. A rack names what fails together; the empty rack shares its fate with nobody, so members
// without a rack never exclude one another from a preference list.
//
// Errors are results, and a call that fails changes nothing. An instance is used by one thread at a time; a view that
// it returned lives until its next change of membership.
//
//   PlacementFactory factory = impl::ring_factory();
//   auto ring = factory.make({.virtual_nodes = 100});
//   ring->add({.name = "A"});
//   ring->owner("user:42");               // "A"
//   ring->preference_list("user:42", 2);  // an error: two replicas of one member
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/clauses.h"
#include "spec/error.h"

namespace shardcheck {

inline constexpr std::int64_t kWeightMax = 1 << 20;

struct Member {
  std::string name;  // not empty, unique among the members
  std::int64_t weight = 1;
  std::string rack = {};

  friend auto operator<=>(const Member&, const Member&) = default;
};

// What a scheme says about one of its promises, and what it is judged by.
enum class Promise : std::uint8_t { none, within_bound, exactly };

// What each level means, and so what is judged:
//   determinism     exactly: the answers are a function of the members. within_bound: of the history of changes, so
//   that
//                   two routers that follow one log agree; a map of partitions is data, not a function.
//   movement        exactly: a change moves keys only to or from the member that it is about. within_bound: between two
//                   others it moves at most stray_permille_max of the share that the change is about.
//   movement_share  within_bound: no more moves than that share, what scatters, and the strays. exactly: nothing
//                   scatters, only whole partitions are rounded.
//   balance         within_bound: a share is its weight's, give or take the scatter, partitions_off_max whole
//   partitions
//                   and overload_permille_max. exactly: give or take partitions_off_max whole partitions, each counted.
// Errors are promised by all: what must be refused is refused and changes nothing.
struct PlacementPromises {
  Promise determinism = Promise::exactly;  // P1
  Promise movement = Promise::exactly;     // P3
  Promise movement_share = Promise::none;  // P4
  Promise balance = Promise::none;         // P5

  // P6, where movement is exact: a join or a leave is one member more or less in a preference list, and nobody else
  // changes places. Whoever moves whole partitions keeps no order of all members for each, and does not promise it.
  bool has_sliding_lists = true;

  // For the bounds of P4 and P5: shares scatter like those of so many uniformly placed points for each unit of weight.
  // 0: they do not scatter at all, as in rendezvous hashing, so that only the sample of keys does.
  std::uint64_t points_per_weight = 0;

  // P3 within a bound, in thousandths of the share that the changed weight stands for.
  std::uint32_t stray_permille_max = 0;
  // P4 and P5, of a scheme that places whole partitions: a share may be off by so many of them. For strays too.
  std::uint32_t partitions_off_max = 0;
  // P5: above 0, nobody has more than its fair share, so many thousandths of it, and one partition.
  std::uint32_t overload_permille_max = 0;

  // The convention whose golden vectors the scheme reproduces (P8), e.g. kGoldenRing; empty: none.
  std::string golden = {};
};

// Where a clause's level stands; null for the clauses of placement without one, which all promise exactly that show
// what these are judged by.
Promise PlacementPromises::* level_of(ClauseId clause_id);
Promise promise_of(const PlacementPromises& promises, ClauseId clause_id);

// First 32 bits, big-endian, of MD5; labels "{name}#{i}", i = 0 .. virtual_nodes * weight - 1; equal positions in order
// of names; a key belongs to the first point at or after its position, above the last one to the first.
inline constexpr std::string_view kGoldenRing = "ring-md5-be32";

struct PlacementPoint {
  std::uint64_t position = 0;
  std::string member;

  friend auto operator<=>(const PlacementPoint&, const PlacementPoint&) = default;
};

class Placement {
 public:
  virtual ~Placement() = default;

  virtual PlacementPromises promises() const = 0;

  // Fail: an empty or duplicate name, a weight out of bounds (also one that makes the scheme's own total overflow).
  virtual Result<void> add(const Member& member) = 0;
  // Fails: unknown member. Removing the last member is allowed and leaves a placement without owners.
  virtual Result<void> remove(std::string_view name) = 0;
  // Fails: unknown member, a weight out of bounds.
  virtual Result<void> set_weight(std::string_view name, std::int64_t weight) = 0;

  // Fails only when there is no member.
  virtual Result<std::string_view> owner(std::string_view key) const = 0;
  // The owners of many keys, in their order: the same answers as one by one, fewer questions for a scheme that lives in
  // another process. Fails where owner() fails for one of them.
  virtual Result<std::vector<std::string_view>> owners(std::span<const std::string> keys) const;
  // `count` distinct members, the owner first, in different racks while racks are left. Fails exactly when count is
  // greater than the number of members.
  virtual Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const = 0;

  // Optional: a scheme made of points on a circle shows them, and is then judged exactly on its arcs rather than on
  // samples. All points in the order in which a lookup prefers them: by position, equal ones in the scheme's own order.
  // The four functions are offered together or not at all.
  virtual std::vector<PlacementPoint> points() const { return {}; }
  virtual std::uint64_t position_max() const { return 0; }
  virtual std::optional<std::uint64_t> position_of(std::string_view) const { return std::nullopt; }
  virtual Result<std::string_view> owner_at(std::uint64_t) const { return fail("placement", "has no positions"); }
  // The owners of many positions; like owners().
  virtual Result<std::vector<std::string_view>> owners_at(std::span<const std::uint64_t> positions) const;

  // Optional: the bytes that whoever routes has to hold for these members, without their names and racks, which every
  // scheme needs. What serves only to change the members or to build the table is not counted. Nothing: not known.
  virtual std::optional<std::uint64_t> routing_bytes() const { return std::nullopt; }

  // Optional, instead of points: a scheme that places whole partitions, always equally many, says how many. Then
  // position_of(key) is the number of the key's partition, owner_at(number) its owner, position_max() the last number,
  // and it is judged exactly, partition by partition.
  virtual std::uint64_t partitions() const { return 0; }
};

inline Result<std::vector<std::string_view>> Placement::owners(std::span<const std::string> keys) const {
  std::vector<std::string_view> found;
  found.reserve(keys.size());
  for (const std::string& key : keys) {
    const Result<std::string_view> one = owner(key);
    if (!one) {
      return std::unexpected<Error>(one.error());
    }
    found.push_back(*one);
  }
  return found;
}

inline Result<std::vector<std::string_view>> Placement::owners_at(std::span<const std::uint64_t> positions) const {
  std::vector<std::string_view> found;
  found.reserve(positions.size());
  for (const std::uint64_t position : positions) {
    const Result<std::string_view> one = owner_at(position);
    if (!one) {
      return std::unexpected<Error>(one.error());
    }
    found.push_back(*one);
  }
  return found;
}

// The parameters that a case may set. A scheme ignores those it does not have.
struct PlacementParameters {
  std::uint32_t virtual_nodes = 100;  // points for each unit of weight, at least 1
  std::uint32_t position_bits = 32;   // in [1, 32]; fewer than 32 force points to collide

  friend auto operator<=>(PlacementParameters, PlacementParameters) = default;
};

// What a scheme takes at all. Nobody asks it for the rest: cases are drawn without it.
struct PlacementAbilities {
  bool has_weights = true;  // weights other than 1, and changes of weight
  bool has_racks = true;
  bool has_lists = true;  // preference lists

  friend bool operator==(PlacementAbilities, PlacementAbilities) = default;
};

struct PlacementFactory {
  std::string name;
  std::function<std::unique_ptr<Placement>(PlacementParameters)> make;  // a fresh instance without members
  PlacementAbilities abilities = {};
  // For schemes that live elsewhere: why one stopped answering since this was last asked, with the question. Its
  // answers from then on are errors, of which no law may make a verdict. Absent: that never happens.
  std::function<std::optional<std::string>()> take_breakdown = {};
};

}  // namespace shardcheck
