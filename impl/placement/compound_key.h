// Keys of several parts: the first one decides where a record is, the others in which order it stands there. All
// records of one user are at one owner, and a scan of them by time asks one owner for one run of keys. As Cassandra's
// partition key and clustering columns, or DynamoDB's partition and sort key.
//
// Parts are any bytes. They are written one after another, each with 00 as 00 FF and ended by 00 01 (the idea is that
// of FoundationDB's tuple layer), so that written keys compare byte by byte as their parts do, one after another;
// simply joining them would not: with "/" between them ("a", "b/c") and ("a/b", "c") are the same key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/error.h"
#include "spec/placement.h"

namespace shardcheck::impl {

struct CompoundKey {
  std::string partition;
  std::vector<std::string> order = {};

  friend auto operator<=>(const CompoundKey&, const CompoundKey&) = default;
};

std::string to_bytes(const CompoundKey& key);
// Fails: not written by to_bytes, with the byte at which it goes wrong.
Result<CompoundKey> compound_key_from(std::string_view bytes);

// The beginning that decides where the record is: the written first part. All of it when there is no end of a part.
std::string_view placed_by(std::string_view bytes);
Result<std::string_view> owner_of_compound(const Placement& placement, std::string_view bytes);

// All keys of the partition whose order begins with these parts: from `first` on, before `end`, byte by byte.
struct CompoundRange {
  std::string first;
  std::string end;
};
CompoundRange range_of(const CompoundKey& beginning);

}  // namespace shardcheck::impl
