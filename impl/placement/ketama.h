// Weighted ketama, the ring of memcached clients: owners are those of libmemcached with
// MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED and of twemproxy with `distribution: ketama` and `hash: md5`. Compared with
// libmemcached 1.1.4 and nutcracker 0.5.0 (properties/golden/ketama, ci/placement_peers).
//
// A member is named "host" or "host:port". Its label is the name without ":11211", the default port; the i-th of its
// digests is MD5("{label}-{i}"), and each digest gives four points, its four little-endian words of 32 bits. A key's
// position is the first of these words of its own MD5. A member of weight w has 4 * floor(w / W * 40 * N) points, W
// being the sum of the weights of N members, in floats (ketama_point_count).
//
// Guarantees:
// - P1 exactly: the same members give the same owners, whatever their history.
// - P3 none: the number of a member's points depends on all weights and on how many members there are, so a change adds
//   or takes points of members that it is not about. Equal weights do not help: rounding costs every one of 25, 47, 50,
//   55, 61, 71, 94 or 100 equal members four points of 160, so the 25th that joins 24 moves keys between the others.
// - P4 none, for the same reason.
// - P5 within the bound of 160 N / W points for a unit of weight. A member of less than W / (40 N) has no point and
// owns
//   nothing.
// - P6 as everywhere; the original has no preference lists.
#pragma once

#include "impl/placement/point_ring.h"

namespace shardcheck::impl {

// How the share of a member's weight is rounded to points. libmemcached and twemproxy stay in floats of 32 bits,
// libketama (RJ/ketama) goes on in doubles, `exact` is whole numbers: floor of the true quotient.
enum class KetamaRounding : std::uint8_t { libmemcached, libketama, exact };

// Points of a member; `totals` include it. A multiple of four; 0 for a member that is too light.
std::uint64_t ketama_point_count(std::int64_t weight, const RingTotals& totals,
                                 KetamaRounding rounding = KetamaRounding::libmemcached);

const RingConvention& ketama_convention();
PlacementFactory ketama_factory();

}  // namespace shardcheck::impl
