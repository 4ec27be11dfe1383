// For tests of the router: drives one of two storage nodes and two ranges by hand.
#pragma once

#include <gmock/gmock.h>

#include "impl/driven.h"
#include "impl/driven_roles.h"
#include "impl/router.h"

namespace shardcheck::impl {

inline constexpr DirectoryPosition kTopVersion{2};
inline constexpr std::uint32_t kPollTimer = 0xffff;

// A router of two storage nodes and two ranges, [0, 4) and [4, 8). An attempt is given 8 ms, a back-off lasts 3 ms.
inline ClusterOptions options_of_router(Mutant mutant = Mutant::none) {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 2;
  options.routers = 1;
  options.clients = 3;
  options.shards = 2;
  options.keys = 8;
  options.attempts_max = 3;
  options.mutant = mutant;
  return options;
}

inline ShardRecord record(NodeId owner, std::uint64_t epoch, std::uint16_t shard = 0) {
  ShardRecord record;
  record.shard = ShardId{shard};
  record.range = {Key{shard * 4U}, Key{shard * 4U + 4U}};
  record.owner = owner;
  record.epoch = Epoch{epoch};
  return record;
}
inline Attempt attempt(std::uint16_t client, std::uint8_t number) { return {{ClientId{client}, 1}, number}; }

inline ClusterOptions options_of_router(RouterKind kind, Mutant mutant) {
  ClusterOptions of_kind = options_of_router(mutant);
  of_kind.router_kinds[0] = kind;
  return of_kind;
}

class DrivenRouter : public Driven<Router> {
 public:
  explicit DrivenRouter(Mutant mutant = Mutant::none) : Driven(Router(options_of_router(mutant), kRouter)) {}
  explicit DrivenRouter(RouterKind kind, Mutant mutant = Mutant::none)
      : Driven(Router(options_of_router(kind, mutant), kRouter)) {}

  // The directory tells of one record that changed at its epoch.
  DrivenRouter& learn(const ShardRecord& record, std::uint64_t changed_at, std::uint64_t follows = 0) {
    receive(kDirectory, RecordUpdate{record, DirectoryPosition{changed_at}, DirectoryPosition{follows},
                                     DirectoryPosition{changed_at}});
    return *this;
  }
  // The same in answer to a lookup, of the second key of the range.
  DrivenRouter& found(const ShardRecord& record, std::uint64_t changed_at) {
    const DirectoryPosition at{changed_at};
    receive(kDirectory, LookupResult{next(record.range.lo), kTopVersion, false, kTopVersion, {record, at, at, at}});
    return *this;
  }
  // One metadata shard keeps all records.
  DrivenRouter& read_top() {
    receive(kDirectory, TopTable{.version = kTopVersion, .count = 1, .rows = {}});
    return *this;
  }
  DrivenRouter& ask(std::uint16_t client = 0, std::uint32_t key = 1) {
    receive(kNoNode, ClientRequest{{ClientId{client}, 1}, {OperationKind::read, Key{key}, absent(), absent()}});
    return *this;
  }
  DrivenRouter& answer(NodeId from, Attempt attempt) {
    receive(from, Reply{attempt, {OutcomeKind::ok, number(7)}});
    return *this;
  }
  DrivenRouter& refuse(NodeId from, Attempt attempt, Signal signal, const ShardRecord& known = {},
                       std::uint64_t known_at = 0) {
    receive(from, Refusal{attempt, ShardId{0}, signal, known.epoch, known, DirectoryPosition{known_at}});
    return *this;
  }
  DrivenRouter& at(std::int64_t ms) {
    Driven::at(ms);
    return *this;
  }
};

}  // namespace shardcheck::impl
