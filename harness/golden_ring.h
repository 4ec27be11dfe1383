// The golden vectors of the ring's convention (kGoldenRing in spec/placement.h) as placement cases for law P8. They
// come from an independent program; properties/golden/ring has the files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/placement_case.h"

namespace shardcheck {

struct GoldenFile {
  std::string_view name;
  std::string_view json;
};
std::span<const GoldenFile> golden_ring_files();

struct GoldenCase {
  std::string name;
  PlacementCase input;
};

// Every vector, and the edges: keys above the last point, keys on a point, points that collide, a join and a leave.
std::vector<GoldenCase> golden_ring_cases();

}  // namespace shardcheck
