// For tests: who is who in the small clusters that are driven by hand. Said once, since two tests of one program that
// gave one of these names different values would be undefined behaviour.
#pragma once

#include "impl/records.h"

namespace shardcheck::impl {

inline constexpr NodeId kDirectory{0};
inline constexpr NodeId kA{1};  // two storage nodes
inline constexpr NodeId kB{2};
inline constexpr NodeId kRouter{3};
inline constexpr NodeId kMover{4};
inline constexpr NodeId kOtherMover{5};
inline constexpr ShardId kShard{0};
inline constexpr MoveId kMove{5};

}  // namespace shardcheck::impl
