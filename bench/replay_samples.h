// A store filled with keys and a log to replay onto it, for measuring: always the same ones. And the ordinary way of
// doing the same, a std::unordered_map.
//
// Keys are 16 to 32 bytes and values 100. The log has as many entries as there are keys, of keys drawn uniformly, and
// its bytes lie in the order of the log, as if received. One entry in sixteen is older than what the store has, as
// where a copy and a log overlap.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "impl/apply_store.h"

namespace shardcheck::bench {

class ReplayLog {
 public:
  // Each key once.
  static ReplayLog that_fills(std::size_t keys);
  // What is measured. To be stamp()ed before it is replayed.
  static ReplayLog of_changes(std::size_t keys);

  // Views of this log.
  std::span<const impl::VersionedEntry> entries() const { return entries_; }

  // Makes the changes newer than any of a pass before; the first pass is 2. A log can then be replayed again and again.
  void stamp(std::uint64_t pass);

 private:
  explicit ReplayLog(std::size_t entries);
  void add(std::uint64_t key_number, Version version);

  std::vector<char> bytes_;  // never grows beyond its capacity, since entries_ views it
  std::vector<impl::VersionedEntry> entries_;
};

// Does what ApplyStore does, with what everyone has at hand. Finds by view, so that no lookup allocates; assigns, so
// that a value of the same size does not allocate either.
class MapStore {
 public:
  bool apply(const impl::VersionedEntry& entry);
  std::optional<impl::VersionedEntry> find(std::string_view key) const;
  void reserve(std::size_t keys) { cells_.reserve(keys); }

 private:
  struct Cell {
    Version version;
    bool has_value = false;
    std::string value;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
  };
  std::unordered_map<std::string, Cell, Hash, std::equal_to<>> cells_;
};

}  // namespace shardcheck::bench
