// Scans: a storage node answers for what it owns of an interval, a router goes on where that ends.
#include <gmock/gmock.h>

#include "impl/driven_storage.h"
#include "impl/router.h"
#include "spec/key_set.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Value shown(std::uint32_t lo, std::initializer_list<std::uint32_t> keys) {
  KeySet set(Key{lo});
  for (const std::uint32_t key : keys) {
    set.add(Key{key});
  }
  return set.value();
}

TEST(StorageScan, shows_the_keys_that_are_there_when_they_are_durable) {
  ServingA a;
  a.write(1, 7, 1).write(2, 8, 2).remove(2, 3);

  a.ask(scan_of({Key{0}, Key{4}}), DrivenStorage::try_of(4));
  EXPECT_TRUE(a.is_silent());
  a.sync();

  EXPECT_EQ(a.said().back(), "to 3: reply request 0.4 attempt 0 ok {1}");
}

TEST(StorageScan, says_where_its_range_ends) {
  ServingA a;

  a.ask(scan_of({Key{2}, Key{9}}), DrivenStorage::try_of(1));

  ASSERT_TRUE(a.sent<Reply>().has_value());
  EXPECT_EQ(a.sent<Reply>()->answered_to, Key{4});
}

TEST(StorageScan, a_stale_one_is_refused_like_any_request) {
  ServingA a;

  a.ask(scan_of({Key{0}, Key{4}}), DrivenStorage::try_of(1), Epoch{0});

  EXPECT_THAT(a.said(),
              ElementsAre("to 3: refusal request 0.1 attempt 0 not_owner highest epoch 1, go to 1 under epoch 1"));
}

// A router of two nodes that own [0, 4) and [4, 8).
class ScanningRouter : public Driven<Router> {
 public:
  ScanningRouter() : Driven(Router(options(), NodeId{3})) {
    learn(0, kA);
    learn(1, kB);
    receive(kNoNode, ClientRequest{{ClientId{0}, 1}, scan_of({Key{2}, Key{8}})});
  }
  ScanningRouter& answer(std::uint8_t attempt, const Value& keys, std::uint32_t answered_to) {
    receive(kA, Reply{{{ClientId{0}, 1}, attempt}, {OutcomeKind::ok, keys}, Key{answered_to}});
    return *this;
  }

 private:
  static ClusterOptions options() {
    ClusterOptions options = two_nodes();
    options.shards = 2;
    options.keys = 8;
    options.attempts_max = 2;
    return options;
  }
  void learn(std::uint16_t shard, NodeId owner) {
    ShardRecord record;
    record.shard = ShardId{shard};
    record.range = {Key{shard * 4U}, Key{shard * 4U + 4U}};
    record.owner = owner;
    record.epoch = Epoch{shard + 1U};
    receive(kDirectory,
            RecordUpdate{record, DirectoryPosition{shard + 1U}, DirectoryPosition{}, DirectoryPosition{shard + 1U}});
  }
};

TEST(RouterScan, asks_each_owner_for_its_piece_and_gives_back_one_answer) {
  ScanningRouter router;

  EXPECT_THAT(router.said(), ElementsAre("to 1: request request 0.1 attempt 0 epoch 1: scan keys 2 to 8"));
  router.answer(0, shown(2, {3}), 4);
  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 2: scan keys 4 to 8"));
  router.answer(1, shown(4, {4, 7}), 8);

  EXPECT_THAT(router.said(), ElementsAre("to client: client_reply 0.1 ok {3 4 7}"));
}

TEST(RouterScan, an_answer_that_came_before_changes_nothing) {
  ScanningRouter router;
  router.answer(0, shown(2, {3}), 4);

  router.answer(0, shown(2, {3}), 4);

  EXPECT_TRUE(router.is_silent());
}

TEST(RouterScan, each_piece_has_all_attempts_of_its_own) {
  ScanningRouter router;
  router.at(8).fire(0);
  router.answer(1, shown(2, {}), 4);

  router.at(16).fire(0);
  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 3 epoch 2: scan keys 4 to 8"));
  router.at(24).fire(0);

  EXPECT_THAT(router.said(), ElementsAre("to client: client_reply 0.1 unknown nil"));
}

}  // namespace
}  // namespace shardcheck::impl
