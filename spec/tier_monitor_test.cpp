#include "spec/story.h"

namespace shardcheck::story {
namespace {

// Two ranges, [0, 8) and [8, 16), and one metadata shard, unless the test tells other rows.
class Tiers : public Story {
 public:
  Tiers& top(std::uint64_t version, std::uint16_t metadata, KeyRange keys) {
    tell(kRouter, TopRow{DirectoryPosition{version}, MetadataShardId{metadata}, keys});
    return *this;
  }
  Tiers& kept(std::uint64_t version, std::uint16_t metadata, ShardId shard, KeyRange range) {
    tell(kRouter, MetadataRow{DirectoryPosition{version}, MetadataShardId{metadata}, shard, range});
    return *this;
  }
  Tiers& stepped() {
    step();
    return *this;
  }
  Tiers& begin() {
    create(kA, 50, kShard, keys(0, 8)).create(kB, 50, kOtherShard, keys(8, 16));
    return top(2, 0, keys(0, 16)).kept(2, 0, kShard, keys(0, 8)).kept(2, 0, kOtherShard, keys(8, 16)).stepped();
  }
  Tiers& split() {
    top(3, 0, keys(0, 8)).top(3, 1, keys(8, 16));
    return kept(3, 0, kShard, keys(0, 8)).kept(3, 1, kOtherShard, keys(8, 16)).stepped();
  }
  // The owner is granted its range anew.
  Tiers& grant_under(std::uint64_t epoch, std::uint64_t position, ShardId shard) {
    const Epoch planned_on = record_of(shard).epoch;
    record_of(shard).epoch = Epoch{epoch};
    commit_at(DirectoryPosition{position}, RecordChange::granted, planned_on, {}, shard);
    return *this;
  }
  Tiers& cross(std::uint64_t relied_on, std::uint64_t current, std::uint8_t crossings) {
    tell(kA, LookupCrossed{kKey, DirectoryPosition{relied_on}, DirectoryPosition{current}, crossings});
    return *this;
  }
};

TEST(TierAgreement, a_metadata_shard_may_be_split_where_a_range_begins) {
  Tiers story;

  story.begin().split();

  EXPECT_TRUE(accepts(story, ClauseId::D5));
}

TEST(TierAgreement, every_key_has_a_metadata_shard) {
  Tiers gap, end;

  gap.begin().top(3, 0, keys(0, 8)).top(3, 1, keys(9, 16));
  gap.kept(3, 0, kShard, keys(0, 8)).kept(3, 0, kOtherShard, keys(8, 16)).stepped();
  end.begin().top(3, 0, keys(0, 15)).kept(3, 0, kShard, keys(0, 8)).kept(3, 0, kOtherShard, keys(8, 16)).stepped();

  EXPECT_TRUE(rejects(gap, ClauseId::D5, {"metadata shard 1", "only up to key 8"}));
  EXPECT_TRUE(rejects(end, ClauseId::D5, {"ends at key 15"}));
}

TEST(TierAgreement, a_record_is_kept_where_the_top_table_sends_those_who_look_for_it) {
  Tiers story;

  story.begin().top(3, 0, keys(0, 8)).top(3, 1, keys(8, 16));
  story.kept(3, 0, kShard, keys(0, 8)).kept(3, 0, kOtherShard, keys(8, 16)).stepped();

  EXPECT_TRUE(rejects(story, ClauseId::D5, {"range 1 [8, 16)", "metadata shard 0"}));
}

TEST(TierAgreement, a_record_does_not_lie_across_two_metadata_shards) {
  Tiers story;

  story.begin().top(3, 0, keys(0, 6)).top(3, 1, keys(6, 16));
  story.kept(3, 0, kShard, keys(0, 8)).kept(3, 1, kOtherShard, keys(8, 16)).stepped();

  EXPECT_TRUE(rejects(story, ClauseId::D5, {"range 0 [0, 8)"}));
}

TEST(TierAgreement, a_record_is_kept_once) {
  Tiers lost, twice;

  lost.begin().top(3, 0, keys(0, 16)).kept(3, 0, kShard, keys(0, 8)).stepped();
  twice.begin().top(3, 0, keys(0, 8)).top(3, 1, keys(8, 16)).kept(3, 0, kShard, keys(0, 8));
  twice.kept(3, 1, kOtherShard, keys(8, 16)).kept(3, 1, kShard, keys(0, 8)).stepped();

  EXPECT_TRUE(rejects(lost, ClauseId::D5, {"range 1 [8, 16) is in 0 metadata shards"}));
  EXPECT_TRUE(rejects(twice, ClauseId::D5, {"range 0 [0, 8) is in 2 metadata shards"}));
}

TEST(TierAgreement, grants_of_all_metadata_shards_have_one_order) {
  Tiers one_order, own_clocks;

  one_order.begin().split().grant_under(5, 5, kShard).grant_under(7, 7, kOtherShard);
  own_clocks.begin().split().grant_under(3, 5, kShard).grant_under(3, 7, kOtherShard);

  EXPECT_TRUE(accepts(one_order, ClauseId::D5));
  EXPECT_TRUE(rejects_among_others(own_clocks, ClauseId::D5,
                                   {"metadata shard 1 granted range 1", "epoch 3", "metadata shard 0"}));
}

TEST(TierAgreement, a_lookup_crosses_each_split_once) {
  Tiers story;

  story.begin().split().cross(2, 3, 1);
  story.tell(kA, LookupAnswered{kKey, kShard, keys(0, 8)});

  EXPECT_TRUE(accepts(story, ClauseId::D5));
}

TEST(TierAgreement, a_lookup_is_not_sent_round_for_ever) {
  Tiers back, often;

  back.begin().split().cross(3, 3, 1);
  often.begin().split().cross(2, 3, 2);

  EXPECT_TRUE(rejects(back, ClauseId::D5, {"node 0", "position 3"}));
  EXPECT_TRUE(rejects(often, ClauseId::D5, {"for the 2. time, after 1 splits"}));
}

TEST(TierAgreement, a_lookup_finds_the_record_of_its_key) {
  Tiers story;

  story.begin().tell(kA, LookupAnswered{Key{9}, kShard, keys(0, 8)});

  EXPECT_TRUE(rejects(story, ClauseId::D5, {"key 9", "range 0 [0, 8)"}));
}

}  // namespace
}  // namespace shardcheck::story
