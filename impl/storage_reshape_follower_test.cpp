// Splits and merges of ranges with more than one member: A owns [0, 4) as range 0 under epoch 1, B is the other member.
#include <gmock/gmock.h>

#include "impl/driven_member.h"

namespace shardcheck::impl {
namespace {

constexpr NodeId kDirectory{0};
constexpr NodeId kA{1};
constexpr NodeId kB{2};
constexpr NodeId kRouter{4};
constexpr NodeId kMover{5};
constexpr ShardId kLeft{0};
constexpr ShardId kRight{1};
constexpr KeyRange kWhole{Key{0}, Key{4}};
constexpr KeyRange kLeftKeys{Key{0}, Key{2}};
constexpr KeyRange kRightKeys{Key{2}, Key{4}};

ClusterOptions options() {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 3;
  options.routers = 1;
  options.clients = 2;
  options.shards = 1;
  options.shards_max = 3;
  options.replicas = 2;
  options.keys = 4;
  return options;
}

ShardRecord record_of(ShardId shard, KeyRange range, std::uint64_t epoch, NodeId owner = kA) {
  ShardRecord record;
  record.shard = shard;
  record.range = range;
  record.owner = owner;
  record.epoch = Epoch{epoch};
  record.lease_until = at_ms(60);
  record.members.insert(kA);
  record.members.insert(kB);
  return record;
}
ShardRecord without(NodeId member, ShardRecord record) {
  record.members.erase(member);
  return record;
}
ShardRecord removed(std::uint64_t epoch) {
  ShardRecord record;
  record.shard = kRight;
  record.range = {Key{2}, Key{2}};
  record.epoch = Epoch{epoch};
  return record;
}

class Member : public DrivenMember {
 public:
  explicit Member(NodeId self) : DrivenMember(options(), self) {}

  Member& learn(const ShardRecord& record, std::uint64_t changed_at, const ShardRecord* sibling = nullptr) {
    const Sibling other = sibling == nullptr ? Sibling{} : Sibling{*sibling};
    receive(kDirectory, RecordUpdate{record, DirectoryPosition{changed_at}, DirectoryPosition{},
                                     DirectoryPosition{changed_at}, other});
    return *this;
  }
  Member& learn_of_split() {
    const ShardRecord right = record_of(kRight, kRightKeys, 9);
    learn(record_of(kLeft, kLeftKeys, 9), 9, &right);
    sync();
    return *this;
  }
  Member& write(std::uint32_t key, std::int64_t n, std::uint32_t sequence) {
    receive(kRouter,
            Request{{{ClientId{0}, sequence}, 0}, Epoch{1}, {OperationKind::write, Key{key}, number(n), absent()}});
    sync();
    return *this;
  }
  Member& split() {
    receive(kMover, ReshapeOrder{ReshapeKind::split, kLeft, Epoch{1}, Key{2}, ShardId{}});
    sync();
    return *this;
  }
  const ShardCopy& copy(ShardId shard) { return node().state().copy(shard); }
  bool proposes(CommandKind kind) const {
    const std::optional<Command> command = sent<Command>();
    return command && command->kind == kind;
  }
};

struct Pair {
  Member a{kA};
  Member b{kB};

  Pair() {
    a.talk_to(b);
    a.receive(kDirectory, Renewed{kLeft, Epoch{1}, at_ms(60)});
    a.write(1, 7, 1).talk_to(b);
  }
};

TEST(ReplicatedSplit, is_proposed_when_every_member_is_where_the_owner_is_and_admits_nothing_from_the_note_on) {
  Pair pair;
  pair.a.write(3, 8, 2);
  const auto entry = pair.a.sent<Replicate>();

  pair.a.split();
  EXPECT_FALSE(pair.a.sent<Command>());
  pair.b.receive(kA, *entry);
  pair.b.sync();
  pair.b.pass<FollowerReport>(pair.a);
  EXPECT_TRUE(pair.a.proposes(CommandKind::split_range));
  pair.a.write(3, 9, 3);

  ASSERT_TRUE(pair.a.sent<Refusal>());
  EXPECT_EQ(pair.a.sent<Refusal>()->signal, Signal::transient);
}

TEST(ReplicatedSplit, that_can_never_be_entered_lets_the_owner_serve_again) {
  Pair pair;
  pair.a.split();

  pair.a.learn(without(kB, record_of(kLeft, kWhole, 1)), 5);
  pair.a.write(3, 9, 2);

  EXPECT_TRUE(pair.a.sent<Reply>());
}

TEST(ReplicatedSplit, followers_go_on_from_the_content_that_they_had_of_the_whole) {
  Pair pair;
  pair.a.split().learn_of_split();

  pair.b.learn_of_split();
  EXPECT_EQ(pair.b.copy(kLeft).held, kLeftKeys);
  EXPECT_EQ(pair.b.copy(kRight).held, kRightKeys);
  EXPECT_EQ(pair.b.copy(kRight).copy, CopyState::replica);

  EXPECT_EQ(pair.a.copy(kRight).copy, CopyState::owned);
  EXPECT_EQ(pair.a.copy(kRight).base, pair.b.copy(kRight).tail_version());
  EXPECT_EQ(pair.a.copy(kLeft).base, pair.b.copy(kLeft).tail_version());
}

TEST(ReplicatedSplit, a_follower_that_heard_of_one_half_waits_for_the_other) {
  Pair left_first, right_first;

  left_first.b.learn(record_of(kLeft, kLeftKeys, 9), 9);
  EXPECT_EQ(left_first.b.copy(kLeft).held, kWhole);
  EXPECT_FALSE(left_first.b.sent<Command>());
  left_first.b.learn(record_of(kRight, kRightKeys, 9), 9);
  right_first.b.learn(record_of(kRight, kRightKeys, 9), 9);
  EXPECT_FALSE(right_first.b.sent<Command>()) << "it has not lost what it lacks";
  right_first.b.learn(record_of(kLeft, kLeftKeys, 9), 9);

  EXPECT_EQ(left_first.b.copy(kRight).held, kRightKeys);
  EXPECT_EQ(right_first.b.copy(kRight).held, kRightKeys);
}

TEST(ReplicatedSplit, a_follower_agrees_to_nothing_before_it_knows_what_the_owner_holds) {
  Pair pair;
  pair.a.split().learn_of_split();
  Replicate ask;
  ask.epoch = Epoch{9};
  ask.range = kLeftKeys;
  ask.base = pair.a.copy(kLeft).base;

  pair.b.receive(kA, ask);
  pair.b.sync();

  EXPECT_EQ(pair.b.copy(kLeft).tail_epoch, Epoch{1});
  EXPECT_FALSE(pair.b.sent<FollowerReport>());
}

TEST(ReplicatedSplit, who_is_a_member_of_one_half_only_keeps_that_one) {
  Pair pair;
  const ShardRecord right = record_of(kRight, kRightKeys, 9);

  pair.b.learn(without(kB, record_of(kLeft, kLeftKeys, 9)), 12);
  EXPECT_EQ(pair.b.copy(kLeft).copy, CopyState::replica) << "a part of it may be wanted";
  pair.b.learn(right, 9);

  EXPECT_FALSE(pair.b.copy(kLeft).copy);
  EXPECT_EQ(pair.b.copy(kRight).copy, CopyState::replica);
  EXPECT_EQ(pair.b.copy(kRight).held, kRightKeys);
}

TEST(ReplicatedSplit, a_member_that_is_granted_a_half_takes_it_up_when_it_has_divided_its_copy) {
  Pair pair;

  pair.b.learn(record_of(kLeft, kLeftKeys, 15, kB), 15);
  EXPECT_FALSE(pair.b.copy(kLeft).holds_grant());
  pair.b.learn(record_of(kRight, kRightKeys, 9), 9);

  EXPECT_EQ(pair.b.copy(kLeft).held_epoch, Epoch{15});
  EXPECT_EQ(pair.b.copy(kLeft).base, (Version{Epoch{1}, LogPosition{1}}));
}

TEST(ReplicatedMerge, followers_join_their_copies_when_they_know_of_both_records) {
  Pair left_first, right_first;
  for (Pair* pair : {&left_first, &right_first}) {
    pair->b.learn_of_split();
  }

  left_first.b.learn(record_of(kLeft, kWhole, 20), 20);
  EXPECT_EQ(left_first.b.copy(kLeft).held, kLeftKeys);
  left_first.b.learn(removed(20), 20);
  right_first.b.learn(removed(20), 20);
  EXPECT_EQ(right_first.b.copy(kRight).copy, CopyState::replica);
  right_first.b.learn(record_of(kLeft, kWhole, 20), 20);

  EXPECT_EQ(left_first.b.copy(kLeft).held, kWhole);
  EXPECT_EQ(right_first.b.copy(kLeft).held, kWhole);
  EXPECT_FALSE(left_first.b.copy(kRight).copy);
  EXPECT_FALSE(right_first.b.copy(kRight).copy);
}

TEST(ReplicatedMerge, who_is_no_member_of_the_whole_drops_both_parts) {
  Pair pair;
  pair.b.learn_of_split();
  const ShardRecord right = removed(20);

  pair.b.learn(without(kB, record_of(kLeft, kWhole, 20)), 20, &right);

  EXPECT_FALSE(pair.b.copy(kLeft).copy);
  EXPECT_FALSE(pair.b.copy(kRight).copy);
}

}  // namespace
}  // namespace shardcheck::impl
