#include "spec/judge.h"

#include <gtest/gtest.h>

#include "spec/story.h"

namespace shardcheck::story {
namespace {

// A run with a move, clients on both sides of it, and a crash that nobody notices.
Story& tell_a_good_run(Story& story) {
  story.create(kA, 50).hold_lease(kA, 50).claim(kA, 50);
  story.tell(kRouter, RouterLearned{keys(0, 16), kA, Epoch{1}, DirectoryPosition{1}});
  story.invoke(request(1), OperationKind::write, number(1)).hop(HopCause::first, kA, Epoch{1}, 1);
  story.apply(kA, {Epoch{1}, LogPosition{1}}, ApplyCause::client, request(1)).serve(kA).ok(request(1));
  story.move_up_to_fence(kB).apply(kB, {Epoch{1}, LogPosition{1}}, ApplyCause::backfill, request(1));
  story.apply(kB, {Epoch{1}, LogPosition{1}}, ApplyCause::replay, request(1));
  story.tell(kB, Crashed{}).tell(kB, Restarted{false}).tell(kA, ClaimEnded{kShard}).confirm_barrier(kA);
  story.at(20).commit_move(100);
  story.tell(kRouter, CutoverContent{story.move(), kShard, {1, 0, 1, Epoch{1}}, {1, 0, 1, Epoch{1}}});
  story.hold_lease(kB, 100).claim(kB, 100).heal();
  story.at(30).invoke(request(2), OperationKind::read);
  story.tell(kA, Answered{kShard, kKey, Epoch{1}, story.epoch(), {request(2), 1}, Signal::stale_epoch, kNoNode});
  story.serve(kB, request(2), 2).ok(request(2), number(1));
  story.begin_cleaning().at(150).tell(kA, KeyErased{kShard, kKey, story.move()});
  return story.tell(kA, CopyRemoved{kShard, keys(0, 16), story.move()}).finish_move();
}

TEST(Judge, accepts_a_run_that_keeps_every_promise) {
  Story story;

  tell_a_good_run(story).at(700).tell(kB, CopyHeld{kShard, keys(0, 16), CopyState::owned, MoveId{}}).finish(700);

  for (const ClauseId id :
       {ClauseId::D1, ClauseId::D2, ClauseId::D3, ClauseId::D4, ClauseId::L1, ClauseId::L2, ClauseId::L3, ClauseId::L4,
        ClauseId::L5, ClauseId::M1, ClauseId::M4, ClauseId::M5, ClauseId::M6, ClauseId::M7, ClauseId::M8, ClauseId::M9,
        ClauseId::M10, ClauseId::R1, ClauseId::V2}) {
    SCOPED_TRACE(clause(id).text_id);
    EXPECT_TRUE(accepts(story, id));
  }
}

TEST(Judge, a_reset_judge_judges_like_a_new_one) {
  Story fresh, reused;
  tell_a_good_run(reused);
  reused.at(200).claim(kA, 900).serve_under(Epoch{1}, kA).write(1).write(2).read(number(1));
  EXPECT_FALSE(reused.findings().is_clean());
  reused.judge().reset(usual_bounds());
  Judge judge = reused.judge();
  reused = Story();
  reused.judge() = judge;

  tell_a_good_run(fresh);
  tell_a_good_run(reused);

  EXPECT_TRUE(reused.findings().is_clean());
  for (const Clause& row : clauses()) {
    SCOPED_TRACE(row.text_id);
    EXPECT_EQ(reused.findings().checks(row.id), fresh.findings().checks(row.id));
  }
}

// Only what came first is told, for each clause.
TEST(Judge, keeps_the_first_violation_of_each_clause) {
  Story story;
  story.create(kA, 50).claim(kA, 10);

  story.at(20).serve(kA).at(30).serve(kA, request(2)).at(60).serve(kA, request(3));

  ASSERT_EQ(story.findings().violations().size(), 2U);
  EXPECT_EQ(story.findings().violations()[0].clause, ClauseId::L1);
  EXPECT_EQ(story.findings().violations()[0].at, TrueTime{20'000'000});
  EXPECT_EQ(story.findings().violations()[1].clause, ClauseId::L2);
}

TEST(Judge, a_clause_without_facts_was_not_observed) {
  Story story;

  story.create(kA, 50);

  EXPECT_EQ(story.findings().checks(ClauseId::L1), 0U);
  EXPECT_EQ(story.findings().checks(ClauseId::M5), 0U);
  EXPECT_GT(story.findings().checks(ClauseId::D1), 0U);
}

TEST(DenseIndex, numbers_identities_in_order_of_appearance) {
  DenseIndex index;

  for (std::uint64_t each = 0; each < 1000; ++each) {
    ASSERT_EQ(index.index_of({each % 4, each}).index, each);
  }
  EXPECT_EQ(index.index_of({2, 42}).index, 42U);
  EXPECT_FALSE(index.index_of({2, 42}).is_new);
  EXPECT_EQ(index.find({3, 42}), DenseIndex::kAbsent);

  index.clear();
  EXPECT_EQ(index.find({2, 42}), DenseIndex::kAbsent);
  EXPECT_EQ(index.index_of({2, 42}).index, 0U);
}

}  // namespace
}  // namespace shardcheck::story
