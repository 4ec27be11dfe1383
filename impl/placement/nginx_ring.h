// The ring of nginx, `hash ... consistent` in an upstream: owners are those of nginx 1.22 (properties/golden/nginx,
// ci/placement_peers), and by its own word those of Cache::Memcached::Fast.
//
// A member is named as in `server`: "host:port", "host" or "unix:/path". It has 160 points for each unit of weight. The
// first is CRC32(host \0 port p) with p four zero bytes, each other one the same with p the point before it,
// little-endian. A key's position is its CRC32.
//
// Guarantees:
// - P1, P3 and P7 exactly: points depend on the name alone, and more weight only adds some.
// - P4 and P5 within the bound of 160 independent points for each unit of weight. That is measured, not proved: a CRC
// is
//   linear, but feeding each point into the next scatters them well enough for the laws.
// - nginx itself drops all but one of equal points when it builds its table. Here all stay and the first one owns:
// owners are
//   the same, and nobody misses a point when another one leaves.
// - nginx's way of going on when a server is down is to take the next point; preference lists are that walk.
#pragma once

#include "impl/placement/point_ring.h"

namespace shardcheck::impl {

const RingConvention& nginx_ring_convention();
PlacementFactory nginx_ring_factory();

}  // namespace shardcheck::impl
