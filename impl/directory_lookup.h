// Looks records up in the directory by their keys, in two steps: the top table, which is kept, says which metadata
// shard has the record, and that one is asked. If a metadata shard was split since the table was read, the answer says
// so, and a newer table is read. A lookup meets each split at most once, and there are only so many metadata shards, so
// it ends.
//
// Any number of lookups at once; those for one key are one. Whoever asks has a timer of its own and asks again.
#pragma once

#include <cstdint>
#include <vector>

#include "impl/directory_link.h"
#include "impl/records.h"

namespace shardcheck::impl {

class DirectoryLookup {
 public:
  // `needed`: only what a member says that has acted on everything up to here.
  void ask(Key key, DirectoryPosition needed, DirectoryLink& link, ClusterOutputs& outputs);
  void take_in(const TopTable& table, DirectoryLink& link, ClusterOutputs& outputs);
  void take_in(const LookupResult& result, DirectoryLink& link, ClusterOutputs& outputs);

 private:
  // More are never under way: a router has at most 64 clients, and one refresh.
  static constexpr std::size_t kAskedMax = 65;
  struct Asked {
    Key key;
    DirectoryPosition needed;
    DirectoryPosition relied_on;  // the table by which it was asked last; 0: it waits for one
    std::uint8_t crossings = 0;
  };
  void send(Asked& asked, DirectoryLink& link, ClusterOutputs& outputs) const;
  bool has_current_table() const { return top_.count != 0 && top_.version >= read_at_least_; }

  TopTable top_;
  DirectoryPosition read_at_least_;  // an older table is known to be old
  std::vector<Asked> asked_;         // the oldest first
};

}  // namespace shardcheck::impl
