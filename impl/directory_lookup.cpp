#include "impl/directory_lookup.h"

#include <algorithm>

namespace shardcheck::impl {

void DirectoryLookup::ask(Key key, DirectoryPosition needed, DirectoryLink& link, ClusterOutputs& outputs) {
  auto asked = std::ranges::find(asked_, key, &Asked::key);
  if (asked == asked_.end()) {
    if (asked_.size() == kAskedMax) {
      asked_.erase(asked_.begin());  // its client gave it up long ago
    }
    asked = asked_.insert(asked_.end(), Asked{key, needed, {}});
  }
  asked->needed = std::max(asked->needed, needed);
  send(*asked, link, outputs);
}

// Never by a table that is known to be old: it would be told so once more.
void DirectoryLookup::send(Asked& asked, DirectoryLink& link, ClusterOutputs& outputs) const {
  if (!has_current_table()) {
    asked.relied_on = {};
    link.send(ReadTop{std::max(asked.needed, read_at_least_)}, outputs);
    return;
  }
  std::size_t row = 0;
  while (row + 1 < top_.count && top_.rows[row + 1].lo <= asked.key) {
    ++row;
  }
  asked.relied_on = top_.version;
  link.send(Lookup{asked.key, top_.rows[row].metadata, top_.version, asked.needed}, outputs);
}

// An older table never replaces a newer one.
void DirectoryLookup::take_in(const TopTable& table, DirectoryLink& link, ClusterOutputs& outputs) {
  if (table.version > top_.version) {
    top_ = table;
  }
  if (!has_current_table()) {
    return;
  }
  for (Asked& asked : asked_) {
    if (asked.relied_on == DirectoryPosition{}) {
      send(asked, link, outputs);
    }
  }
}

void DirectoryLookup::take_in(const LookupResult& result, DirectoryLink& link, ClusterOutputs& outputs) {
  const auto asked = std::ranges::find(asked_, result.key, &Asked::key);
  if (asked == asked_.end()) {
    return;  // answered before
  }
  if (!result.is_crossed) {
    outputs.observe(LookupAnswered{result.key, result.found.record.shard, result.found.record.range});
    asked_.erase(asked);
  } else if (result.relied_on == asked->relied_on) {
    ++asked->crossings;
    outputs.observe(LookupCrossed{result.key, result.relied_on, result.version, asked->crossings});
    read_at_least_ = std::max(read_at_least_, result.version);
    send(*asked, link, outputs);
  }
}

}  // namespace shardcheck::impl
