// Replica sets at storage nodes: A owns range 0 under epoch 1, B is the other member, C is free.
#include <gmock/gmock.h>

#include "impl/driven_member.h"

namespace shardcheck::impl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr NodeId kDirectory{0};
constexpr NodeId kA{1};
constexpr NodeId kB{2};
constexpr NodeId kC{3};
constexpr NodeId kRouter{4};
constexpr ShardId kShard{0};
constexpr std::uint32_t kTick = 0xffff;
constexpr std::uint32_t kAgain = 0xfffe;

ShardRecord joined_by(NodeId node, ShardRecord record, std::uint64_t join) {
  record.joining = node;
  record.join = DirectoryPosition{join};
  return record;
}

class Member : public DrivenMember {
 public:
  explicit Member(NodeId self) : DrivenMember(three_nodes(2), self) {}

  Member& learn(const ShardRecord& record, std::uint64_t changed_at) {
    receive(kDirectory,
            RecordUpdate{record, DirectoryPosition{changed_at}, DirectoryPosition{}, DirectoryPosition{changed_at}});
    return *this;
  }
  Member& write(std::uint32_t key, std::int64_t n, std::uint32_t sequence, std::uint64_t epoch = 1) {
    receive(kRouter,
            Request{{{ClientId{0}, sequence}, 0}, Epoch{epoch}, {OperationKind::write, Key{key}, number(n), absent()}});
    return *this;
  }
  Member& read(std::uint32_t key, std::uint32_t sequence, std::uint64_t epoch = 1) {
    receive(kRouter,
            Request{{{ClientId{1}, sequence}, 0}, Epoch{epoch}, {OperationKind::read, Key{key}, absent(), absent()}});
    return *this;
  }
  Member& made_durable() {
    sync();
    return *this;
  }
  const ShardCopy& copy() { return node().state().copy(kShard); }
  Value value(std::uint32_t key) { return node().state().cell(Key{key}).value; }
};

// Both have agreed, and A has its lease.
struct Pair {
  Member a{kA};
  Member b{kB};

  Pair() {
    a.fire(kAgain);
    a.talk_to(b);
    a.receive(kDirectory, Renewed{kShard, Epoch{1}, at_ms(60)});
    a.sync();
  }
};

TEST(Replicas, an_owner_that_starts_asks_every_member_where_it_stands) {
  Member a(kA);

  EXPECT_EQ(a.said()[0], "to 2: replicate range 0 epoch 1 0 entries after 0");
}

TEST(Replicas, a_write_is_answered_when_every_member_has_it) {
  Pair pair;

  pair.a.write(1, 7, 1).made_durable();
  EXPECT_THAT(pair.a.said(), ElementsAre("to 2: replicate range 0 epoch 1 1 entries after 0"));
  pair.a.pass<Replicate>(pair.b);
  EXPECT_THAT(pair.b.said(), IsEmpty());
  pair.b.sync();
  EXPECT_THAT(pair.b.said(), ElementsAre("to 1: follower_report range 0 epoch 1 tail 1.1"));
  pair.b.pass<FollowerReport>(pair.a);

  EXPECT_THAT(pair.a.said(), ElementsAre("to 4: reply request 0.1 attempt 0 ok nil"));
  EXPECT_EQ(pair.b.value(1), number(7));
}

TEST(Replicas, a_read_waits_for_what_it_saw) {
  Pair pair;
  pair.a.write(1, 7, 1).made_durable();
  const auto replicate = pair.a.sent<Replicate>();

  pair.a.read(1, 1);
  EXPECT_THAT(pair.a.said(), IsEmpty());
  pair.b.receive(kA, *replicate);
  pair.b.sync();
  pair.b.pass<FollowerReport>(pair.a);

  EXPECT_THAT(pair.a.said(),
              ElementsAre("to 4: reply request 0.1 attempt 0 ok nil", "to 4: reply request 1.1 attempt 0 ok 7"));
}

TEST(Replicas, what_was_not_acknowledged_is_sent_again_and_its_member_removed_in_the_end) {
  Pair pair;
  pair.a.write(1, 7, 1).made_durable();

  for (int i = 0; i < 4; ++i) {
    pair.a.fire(kAgain);
    EXPECT_THAT(pair.a.said(), ElementsAre("to 2: replicate range 0 epoch 1 1 entries after 0"));
  }
  pair.a.fire(kAgain);

  EXPECT_EQ(pair.a.sent<Command>()->kind, CommandKind::remove_member);
  EXPECT_EQ(pair.a.sent<Command>()->target, kB);
  EXPECT_FALSE(pair.a.sent<Reply>());
  pair.a.learn(record_of(kA, {kA}), 5);
  EXPECT_THAT(pair.a.said(), ElementsAre("to 4: reply request 0.1 attempt 0 ok nil"));
}

// Otherwise the first write to a quiet range would have to wait for that.
TEST(Replicas, a_member_that_falls_silent_is_removed_although_nothing_is_written) {
  Pair pair;

  pair.a.fire(kTick);
  pair.a.fire(kTick);
  EXPECT_THAT(pair.a.said(), Contains("to 2: replicate range 0 epoch 1 0 entries after 0"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(pair.a.sent<Command>());
    pair.a.fire(kAgain);
  }

  EXPECT_EQ(pair.a.sent<Command>()->kind, CommandKind::remove_member);
}

TEST(Replicas, a_member_that_answers_is_not_asked_again_at_once) {
  Pair pair;
  pair.a.fire(kTick);
  pair.a.fire(kTick);

  pair.a.pass<Replicate>(pair.b);
  pair.b.pass<FollowerReport>(pair.a);
  pair.a.fire(kAgain);

  EXPECT_THAT(pair.a.said(), IsEmpty());
}

TEST(Replicas, a_member_takes_nothing_from_an_owner_of_earlier_days) {
  Pair pair;
  pair.a.write(1, 7, 1).made_durable();
  pair.b.learn(record_of(kB, {kA, kB}, 5), 5).sync();

  pair.a.pass<Replicate>(pair.b);
  pair.b.sync();

  EXPECT_EQ(pair.b.copy().tail, LogPosition{0});
  EXPECT_FALSE(pair.b.sent<FollowerReport>());
}

TEST(Replicas, a_new_owner_serves_when_the_old_one_has_agreed) {
  Pair pair;
  pair.b.learn(record_of(kB, {kA, kB}, 5), 5).sync();

  pair.b.read(1, 1, 5);
  EXPECT_THAT(pair.b.said(), IsEmpty());
  pair.a.learn(record_of(kB, {kA, kB}, 5), 5).sync();
  EXPECT_EQ(pair.a.copy().copy, CopyState::replica);
  pair.b.fire(kAgain);
  pair.b.pass<Replicate>(pair.a);
  pair.a.sync();
  pair.a.pass<FollowerReport>(pair.b);

  EXPECT_THAT(pair.b.said(), ElementsAre("to 4: reply request 1.1 attempt 0 ok nil"));
  EXPECT_EQ(pair.a.copy().tail_epoch, Epoch{5});
}

TEST(Replicas, a_new_owner_removes_a_member_with_another_tail) {
  Pair pair;
  pair.a.write(1, 7, 1).made_durable();
  pair.b.learn(record_of(kB, {kA, kB}, 5), 5).sync();
  pair.a.learn(record_of(kB, {kA, kB}, 5), 5).sync();

  pair.b.fire(kAgain);
  pair.b.pass<Replicate>(pair.a);
  pair.a.sync();
  pair.a.pass<FollowerReport>(pair.b);

  EXPECT_EQ(pair.b.sent<Command>()->kind, CommandKind::remove_member);
  EXPECT_EQ(pair.b.sent<Command>()->target, kA);
  pair.a.learn(record_of(kB, {kB}, 5), 6);
  EXPECT_EQ(pair.a.copy().copy, std::nullopt);
}

TEST(Replicas, who_joins_gets_the_copy_and_is_then_called_a_member) {
  Pair pair;
  pair.a.write(1, 7, 1).made_durable();
  pair.a.talk_to(pair.b);
  Member c(kC);
  const ShardRecord record = joined_by(kC, record_of(kA, {kA, kB}), 5);
  c.learn(record, 5).sync();
  EXPECT_EQ(c.copy().copy, CopyState::replica);

  pair.a.learn(record, 5).sync();
  EXPECT_THAT(pair.a.said(), testing::Contains("to 3: replicate range 0 epoch 1 0 entries after 0"));
  pair.a.fire(kAgain);
  pair.a.talk_to(c);

  EXPECT_TRUE(c.copy().is_copied);
  EXPECT_EQ(c.value(1), number(7));
  EXPECT_EQ(c.copy().digest.values, pair.a.copy().digest.values);
  pair.a.fire(kAgain);
  pair.a.pass<Replicate>(c);
  c.sync();
  c.pass<FollowerReport>(pair.a);
  EXPECT_EQ(pair.a.sent<Command>()->kind, CommandKind::admit_member);
}

TEST(Replicas, who_lost_its_disk_leaves_the_replica_set_and_begins_nothing_by_itself) {
  Member b(kB);
  b.restart_without_disk().sync();

  b.learn(record_of(kA, {kA, kB}), 1);

  EXPECT_EQ(b.sent<Command>()->kind, CommandKind::remove_member);
  EXPECT_EQ(b.copy().copy, std::nullopt);
}

TEST(Replicas, who_lost_its_disk_while_joining_cannot_know_what_it_said) {
  Member c(kC);
  c.restart_without_disk().sync();

  c.learn(joined_by(kC, record_of(kA, {kA, kB}), 5), 5);

  EXPECT_EQ(c.sent<Command>()->kind, CommandKind::remove_member);
  EXPECT_EQ(c.copy().copy, std::nullopt);
}

TEST(Replicas, an_owner_looks_for_a_member_when_one_is_missing) {
  Member a(kA);
  a.learn(record_of(kA, {kA}), 5).sync();

  a.fire(kTick);

  EXPECT_EQ(a.sent<Command>()->kind, CommandKind::join_member);
}

}  // namespace
}  // namespace shardcheck::impl
