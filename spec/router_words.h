// How a violation names the process of a fact that only routers tell.
#pragma once

#include <fmt/format.h>

#include <string>

#include "spec/types.h"

namespace shardcheck {

inline std::string router_words(NodeId router) { return fmt::format("router {}", router.value); }

}  // namespace shardcheck
