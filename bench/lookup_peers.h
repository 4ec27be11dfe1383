// What lookups are compared with, where it is installed: XXH3 (SHARDCHECK_HAS_XXHASH) and absl::btree_map
// (SHARDCHECK_HAS_ABSL); CMakeLists.txt sets which.
#pragma once

#ifdef SHARDCHECK_HAS_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif
#ifdef SHARDCHECK_HAS_ABSL
#include <absl/container/btree_map.h>
#endif
