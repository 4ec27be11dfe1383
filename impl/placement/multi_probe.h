// Multi-probe consistent hashing (Appleton and O'Reilly 2015, arXiv 1505.00062): few points on a circle, and each key
// looks from several places; the place with the nearest point after it decides. Memory goes into hashes at lookup: with
// 21 probes a single point a member loads the heaviest about 5 % over the mean when there are many.
//
// P1 exactly: equal distances go to the first name.
// P3 exactly: a member's distance to a key depends on the two alone, and the least one wins.
// P4, P5 within a bound: shares scatter like those of a ring with `probes` times as many points. (The share of a point
//    with the gap g before it, in mean gaps, is nearly 1 - exp(-probes g), so its relative variance is 1/(2 probes + 1)
//    where that of a ring's is 1; half of that gain is left out of the promise, for rare tiny gaps.)
// P6: the preference list is the order of the distances, so it slides.
//
// Lookup O(probes * log points). Memory 16 bytes a point. Build and change O(points log points). A preference list of
// more than one costs O(probes * points).
#pragma once

#include "impl/placement/circle.h"
#include "impl/placement/table_placement.h"

namespace shardcheck::impl {

struct MultiProbeOptions {
  std::uint32_t probes = 21;
  std::uint32_t points_per_weight = 1;
  std::uint32_t position_bits = 32;
};

// At most so many points.
inline constexpr std::int64_t kMultiProbePointsMax = std::int64_t{1} << 25;

class MultiProbeTable {
 public:
  explicit MultiProbeTable(MultiProbeOptions options)
      : members_("multi_probe", kMultiProbePointsMax / options.points_per_weight), options_(options) {}

  const MemberList& members() const { return members_; }
  PlacementPromises promises() const;
  Result<MultiProbeTable> changed(MemberList members) const;
  MemberIndex owner(std::string_view key) const;
  std::vector<MemberIndex> replicas(std::string_view key, std::size_t count) const;
  std::size_t bytes() const { return circle_.bytes(); }

 private:
  std::uint64_t probe(std::uint64_t key_hash, std::uint32_t number) const;

  MemberList members_;
  MultiProbeOptions options_;
  Circle circle_;
};

// As many points as give no more scatter than a ring with these virtual nodes: 5 for 100 of them.
PlacementFactory multi_probe_factory();

}  // namespace shardcheck::impl
