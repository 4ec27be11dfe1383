// A router's map where ranges are split and merged: records may overlap, and ids may vanish.
#include <gmock/gmock.h>

#include "impl/driven_storage.h"
#include "impl/router.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;

ShardRecord range(std::uint16_t shard, std::uint32_t lo, std::uint32_t hi, NodeId owner, std::uint64_t epoch) {
  ShardRecord record;
  record.shard = ShardId{shard};
  record.range = {Key{lo}, Key{hi}};
  record.owner = owner;
  record.epoch = Epoch{epoch};
  return record;
}

class ReshapedRouter : public Driven<Router> {
 public:
  ReshapedRouter() : Driven(Router(two_nodes(), kRouter)) {}

  ReshapedRouter& learn(const ShardRecord& record, std::uint64_t changed_at, const ShardRecord& sibling = {}) {
    receive(kDirectory,
            RecordUpdate{
                record, DirectoryPosition{changed_at}, DirectoryPosition{}, DirectoryPosition{changed_at}, {sibling}});
    return *this;
  }
  ReshapedRouter& read(std::uint32_t key) {
    receive(kNoNode, ClientRequest{{ClientId{0}, ++sequence_}, {OperationKind::read, Key{key}, absent(), absent()}});
    return *this;
  }
  std::string went_to() { return sent<Request>() ? said().front().substr(0, 5) : ""; }

 private:
  std::uint32_t sequence_ = 0;
};

TEST(ReshapedMap, both_halves_of_a_split_come_together) {
  ReshapedRouter router;

  router.learn(range(0, 0, 2, kA, 7), 7, range(1, 2, 4, kA, 7));

  EXPECT_EQ(router.observed<RouterLearned>().size(), 2U);
  EXPECT_EQ(router.read(3).sent<Request>()->epoch, Epoch{7});
}

TEST(ReshapedMap, of_two_records_that_overlap_the_one_that_changed_last_is_followed) {
  ReshapedRouter half_known, late;

  half_known.learn(range(0, 0, 4, kA, 1), 1).learn(range(1, 2, 4, kB, 9), 9);
  late.learn(range(1, 2, 4, kB, 9), 9).learn(range(0, 0, 4, kA, 1), 1);

  ASSERT_EQ(late.observed<RouterLearned>().size(), 1U);
  EXPECT_EQ(late.observed<RouterLearned>()[0].range, (KeyRange{Key{0}, Key{2}}));
  for (ReshapedRouter* router : {&half_known, &late}) {
    EXPECT_EQ(router->read(1).went_to(), "to 1:");
    EXPECT_EQ(router->read(3).went_to(), "to 2:");
  }
}

TEST(ReshapedMap, an_id_that_was_merged_away_is_followed_no_more) {
  ReshapedRouter router;
  router.learn(range(0, 0, 2, kA, 7), 7, range(1, 2, 4, kA, 7));

  router.learn(range(0, 0, 4, kA, 9), 9, range(1, 2, 2, kNoNode, 9));

  EXPECT_EQ(router.observed<RouterLearned>().size(), 1U);
  EXPECT_EQ(router.read(3).sent<Request>()->epoch, Epoch{9});
}

TEST(ReshapedMap, a_redirect_to_the_parent_of_a_half_that_is_known_is_followed_though_the_map_keeps_the_newer) {
  ReshapedRouter router;
  router.learn(range(0, 0, 2, kA, 7), 7).read(3);

  router.receive(
      kB,
      Refusal{
          {{ClientId{0}, 1}, 0}, ShardId{0}, Signal::not_owner, Epoch{1}, range(0, 0, 4, kA, 1), DirectoryPosition{1}});

  EXPECT_THAT(router.said(), ElementsAre("to 1: request request 0.1 attempt 1 epoch 1: read key 3"));
  EXPECT_EQ(router.read(1).sent<Request>()->epoch, Epoch{7});
}

TEST(ReshapedMap, of_the_other_half_nothing_older_than_the_parent_is_believed) {
  ReshapedRouter router;
  router.learn(range(1, 2, 4, kB, 7), 7).learn(range(1, 2, 3, kB, 9), 9);

  router.learn(range(0, 0, 4, kA, 1), 1);

  ASSERT_EQ(router.observed<RouterLearned>().size(), 1U);
  EXPECT_EQ(router.observed<RouterLearned>()[0].range, (KeyRange{Key{0}, Key{2}}));
  EXPECT_EQ(router.read(3).sent<Request>()->epoch, Epoch{});
  EXPECT_EQ(router.learn(range(0, 3, 4, kA, 9), 9).read(3).sent<Request>()->epoch, Epoch{9});
}

}  // namespace
}  // namespace shardcheck::impl
