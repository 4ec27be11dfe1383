// All placement schemes of the reference, by name: what is listed here is what commands, benchmarks and properties
// know.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "spec/placement.h"

namespace shardcheck::impl {

// In the order in which reports list them; the ring first.
std::span<const PlacementFactory> placement_schemes();

std::optional<PlacementFactory> scheme_by_name(std::string_view name);

}  // namespace shardcheck::impl
