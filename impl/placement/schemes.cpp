#include "impl/placement/schemes.h"

#include <algorithm>
#include <vector>

#include "impl/placement/bounded_loads.h"
#include "impl/placement/fixed_partitions.h"
#include "impl/placement/jump.h"
#include "impl/placement/ketama.h"
#include "impl/placement/key_ranges.h"
#include "impl/placement/maglev.h"
#include "impl/placement/modulo.h"
#include "impl/placement/multi_probe.h"
#include "impl/placement/nginx_ring.h"
#include "impl/placement/redis_slots.h"
#include "impl/placement/rendezvous.h"
#include "impl/placement/ring.h"

namespace shardcheck::impl {

std::span<const PlacementFactory> placement_schemes() {
  static const std::vector<PlacementFactory> schemes{
      ring_factory(),   rendezvous_factory(),    multi_probe_factory(), jump_factory(),
      maglev_factory(), bounded_loads_factory(), key_ranges_factory(),  fixed_partitions_factory(),
      modulo_factory(), ketama_factory(),        nginx_ring_factory(),  redis_slots_factory()};
  return schemes;
}

std::optional<PlacementFactory> scheme_by_name(std::string_view name) {
  const std::span<const PlacementFactory> schemes = placement_schemes();
  const auto found = std::ranges::find(schemes, name, &PlacementFactory::name);
  return found == schemes.end() ? std::nullopt : std::optional(*found);
}

}  // namespace shardcheck::impl
