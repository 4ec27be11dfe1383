// Facts about the two levels of a directory, and about lookups in it (observation.h).
#pragma once

#include <cstdint>

#include "spec/types.h"

namespace shardcheck {

// The directory's two levels, told whole, row by row, whenever they change, before DirectoryStepped: which metadata
// shard is responsible for which keys, and in which of them each record is kept. `version` is the position of the
// change.
struct TopRow {
  DirectoryPosition version;
  MetadataShardId metadata;
  KeyRange keys;
};
struct MetadataRow {
  DirectoryPosition version;
  MetadataShardId metadata;
  ShardId shard;
  KeyRange range;  // of the record
};
// Somebody looked a key up in the metadata shard that the top table of version `relied_on` named, and was told that
// this table is old and the present one that of `current`; `crossings` counts how often in this lookup.
struct LookupCrossed {
  Key key;
  DirectoryPosition relied_on;
  DirectoryPosition current;
  std::uint8_t crossings;
};
// A lookup ended with this record.
struct LookupAnswered {
  Key key;
  ShardId shard;
  KeyRange range;
};

}  // namespace shardcheck
