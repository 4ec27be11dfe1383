#include "impl/router.h"

#include "impl/driven_router.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Router, asks_for_what_has_changed_again_and_again) {
  DrivenRouter router;

  EXPECT_TRUE(router.is_silent());
  ASSERT_EQ(router.wakes_at(kPollTimer), at_ms(40));
  router.learn(record(kA, 1), 1);
  router.at(40).fire(kPollTimer);
  EXPECT_THAT(router.said(), ElementsAre("to 0: poll after 1"));
  EXPECT_EQ(router.wakes_at(kPollTimer), at_ms(80));
}

TEST(Router, with_an_empty_map_asks_any_node_without_an_epoch_and_is_redirected) {
  DrivenRouter router;

  router.ask();
  EXPECT_THAT(router.said(), ElementsAre("to 1: request request 0.1 attempt 0 epoch 0: read key 1"));
  router.refuse(kA, attempt(0, 0), Signal::not_owner, record(kB, 5), 5);
  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 5: read key 1"));
}

TEST(Router, with_an_empty_map_asks_one_node_after_the_other) {
  DrivenRouter router;
  router.ask();

  router.at(8).fire(0);

  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 0: read key 1"));
}

TEST(Router, sends_a_request_to_the_owner_and_its_answer_to_the_client) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1);

  router.ask();
  EXPECT_THAT(router.said(), ElementsAre("to 1: request request 0.1 attempt 0 epoch 1: read key 1"));
  EXPECT_EQ(router.observed<Hop>().size(), 1U);
  router.answer(kA, attempt(0, 0));
  EXPECT_THAT(router.said(), ElementsAre("to client: client_reply 0.1 ok 7"));
}

TEST(Router, a_second_answer_to_one_attempt_is_ignored) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask().answer(kA, attempt(0, 0));

  router.answer(kA, attempt(0, 0));

  EXPECT_TRUE(router.is_silent());
}

TEST(Router, stale_epoch_refreshes_the_map_and_then_tries_again) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();

  router.refuse(kA, attempt(0, 0), Signal::stale_epoch, record(kB, 5), 5);
  EXPECT_THAT(router.said(), ElementsAre("to 0: poll after 1"));
  EXPECT_EQ(router.observed<RefreshStarted>().size(), 1U);
  router.learn(record(kB, 5), 5, 1);
  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 5: read key 1"));
}

TEST(Router, stale_epoch_needs_no_refresh_when_the_map_is_newer_already) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask().learn(record(kB, 5), 5, 1);

  router.refuse(kA, attempt(0, 0), Signal::stale_epoch, record(kB, 5), 5);

  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 5: read key 1"));
  EXPECT_THAT(router.observed<RefreshStarted>(), IsEmpty());
}

TEST(Router, not_the_owner_is_followed_without_a_refresh) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();

  router.refuse(kA, attempt(0, 0), Signal::not_owner, record(kB, 5), 5);

  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 5: read key 1"));
  ASSERT_EQ(router.observed<RouterLearned>().size(), 1U);
  EXPECT_EQ(router.observed<RouterLearned>()[0].owner, kB);
}

TEST(Router, transient_tries_the_same_target_later_and_never_refreshes) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();

  router.at(2).refuse(kA, attempt(0, 0), Signal::transient);
  EXPECT_TRUE(router.is_silent());
  EXPECT_EQ(router.wakes_at(0), at_ms(5));
  router.at(5).fire(0);
  EXPECT_THAT(router.said(), ElementsAre("to 1: request request 0.1 attempt 1 epoch 1: read key 1"));
  EXPECT_THAT(router.observed<RefreshStarted>(), IsEmpty());
}

TEST(Router, a_timer_that_comes_too_early_is_set_again) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();

  router.at(7).fire(0);

  EXPECT_TRUE(router.is_silent());
  EXPECT_EQ(router.wakes_at(0), at_ms(8));
}

TEST(Router, an_unanswered_attempt_is_tried_again_and_never_refreshes) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();

  router.at(8).fire(0);

  EXPECT_THAT(router.said(), ElementsAre("to 1: request request 0.1 attempt 1 epoch 1: read key 1"));
  EXPECT_THAT(router.observed<RefreshStarted>(), IsEmpty());
}

TEST(Router, a_timer_of_an_attempt_that_is_over_does_nothing) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();
  router.at(6).refuse(kA, attempt(0, 0), Signal::transient);

  router.at(8).fire(0);

  EXPECT_TRUE(router.is_silent());
}

TEST(Router, a_signal_for_an_attempt_that_is_over_is_ignored) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();
  router.at(8).fire(0);

  router.refuse(kA, attempt(0, 0), Signal::not_owner, record(kB, 5), 5);

  EXPECT_TRUE(router.is_silent());
}

TEST(Router, all_who_wait_for_the_map_share_one_refresh) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask(0).ask(1);

  router.refuse(kA, attempt(0, 0), Signal::stale_epoch, record(kB, 5), 5);
  EXPECT_THAT(router.said(), ElementsAre("to 0: poll after 1"));
  router.refuse(kA, attempt(1, 0), Signal::stale_epoch, record(kB, 5), 5);
  EXPECT_TRUE(router.is_silent());
  router.learn(record(kB, 5), 5, 1);

  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 5: read key 1",
                                         "to 2: request request 1.1 attempt 1 epoch 5: read key 1"));
}

TEST(Router, who_waits_for_another_range_goes_on_waiting) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).learn(record(kB, 2, 1), 2, 1).ask(0, 1).ask(1, 5);
  router.refuse(kA, attempt(0, 0), Signal::stale_epoch, record(kB, 5), 5);
  router.refuse(kB, attempt(1, 0), Signal::stale_epoch, record(kA, 4, 1), 4);

  router.learn(record(kB, 5), 5, 2);

  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 5: read key 1"));
}

TEST(Router, who_needs_more_than_the_refresh_was_begun_for_begins_the_next_one) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).learn(record(kB, 2, 1), 2, 1).ask(0, 1).ask(1, 5);
  router.refuse(kA, attempt(0, 0), Signal::stale_epoch, record(kB, 5), 5);
  router.refuse(kB, attempt(1, 0), Signal::stale_epoch, record(kA, 6, 1), 6);

  router.learn(record(kB, 5), 5, 2);

  EXPECT_THAT(router.said(),
              ElementsAre("to 2: request request 0.1 attempt 1 epoch 5: read key 1", "to 0: poll after 5"));
}

TEST(Router, an_unanswered_refresh_is_asked_again_and_counts_as_an_attempt) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask().refuse(kA, attempt(0, 0), Signal::stale_epoch, record(kB, 5), 5);

  router.at(8).fire(0);
  EXPECT_THAT(router.said(), ElementsAre("to 0: poll after 1"));
  router.at(16).fire(0);
  EXPECT_THAT(router.said(), ElementsAre("to client: client_reply 0.1 refused nil"));
}

TEST(Router, a_request_given_up_after_promises_of_no_effect_was_refused) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();
  router.refuse(kA, attempt(0, 0), Signal::not_owner, record(kB, 5), 5);
  router.refuse(kB, attempt(0, 1), Signal::not_owner, record(kA, 6), 6);

  router.refuse(kA, attempt(0, 2), Signal::not_owner, record(kB, 7), 7);

  EXPECT_THAT(router.said(), ElementsAre("to client: client_reply 0.1 refused nil"));
}

TEST(Router, a_request_given_up_after_a_transient_attempt_is_unknown) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();
  router.refuse(kA, attempt(0, 0), Signal::transient).at(3).fire(0);
  router.refuse(kA, attempt(0, 1), Signal::not_owner, record(kB, 5), 5);

  router.refuse(kB, attempt(0, 2), Signal::not_owner, record(kA, 6), 6);

  EXPECT_THAT(router.said(), ElementsAre("to client: client_reply 0.1 unknown nil"));
  EXPECT_TRUE(router.sent<ClientReply>()->had_transient);
  EXPECT_FALSE(router.sent<ClientReply>()->had_unanswered);
}

TEST(Router, a_request_given_up_after_an_unanswered_attempt_is_unknown) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();

  router.at(8).fire(0);
  router.at(16).fire(0);
  router.at(24).fire(0);

  EXPECT_THAT(router.said(), ElementsAre("to client: client_reply 0.1 unknown nil"));
  EXPECT_TRUE(router.sent<ClientReply>()->had_unanswered);
}

TEST(Router, a_request_for_lost_data_is_refused_at_once) {
  DrivenRouter router;
  ShardRecord lost = record(kA, 1);
  lost.is_data_lost = true;
  router.learn(lost, 1);

  router.ask();

  EXPECT_THAT(router.said(), ElementsAre("to client: client_reply 0.1 refused nil"));
}

TEST(Router, an_older_record_never_replaces_a_newer_one) {
  DrivenRouter router;
  router.learn(record(kB, 5), 5);

  router.learn(record(kA, 1), 1);
  EXPECT_THAT(router.observed<RouterLearned>(), IsEmpty());
  router.ask();

  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 0 epoch 5: read key 1"));
}

TEST(Router, a_redirect_that_is_older_than_the_map_changes_nothing) {
  DrivenRouter router;
  router.learn(record(kB, 5), 5).ask();

  router.refuse(kB, attempt(0, 0), Signal::not_owner, record(kA, 1), 1);

  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 5: read key 1"));
}

TEST(Router, polls_again_from_before_an_update_that_it_missed) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1);

  router.learn(record(kB, 9), 9, 7);
  router.at(40).fire(kPollTimer);
  EXPECT_THAT(router.said(), ElementsAre("to 0: poll after 1"));
  router.learn(record(kB, 7, 1), 7, 1).learn(record(kB, 9), 9, 7);
  router.at(80).fire(kPollTimer);
  EXPECT_THAT(router.said(), ElementsAre("to 0: poll after 9"));
}

TEST(Router, remembers_nothing_across_a_restart) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();

  router.restart();
  router.answer(kA, attempt(0, 0));
  EXPECT_TRUE(router.is_silent());
  router.ask();
  EXPECT_THAT(router.said(), ElementsAre("to 1: request request 0.1 attempt 0 epoch 0: read key 1"));
}

TEST(Router, a_new_request_of_a_client_takes_the_place_of_the_one_that_it_gave_up) {
  DrivenRouter router;
  router.learn(record(kA, 1), 1).ask();

  router.receive(kNoNode, ClientRequest{{ClientId{0}, 2}, {OperationKind::read, Key{2}, absent(), absent()}});
  EXPECT_THAT(router.said(), ElementsAre("to 1: request request 0.2 attempt 0 epoch 1: read key 2"));
  router.answer(kA, attempt(0, 0));
  EXPECT_TRUE(router.is_silent());
}

TEST(Router, a_mutant_refreshes_after_a_transient_error_and_after_a_missing_answer) {
  DrivenRouter transient(Mutant::client_refresh_on_any_error), unanswered(Mutant::client_refresh_on_any_error);
  transient.learn(record(kA, 1), 1).ask();
  unanswered.learn(record(kA, 1), 1).ask();

  transient.refuse(kA, attempt(0, 0), Signal::transient);
  unanswered.at(8).fire(0);
  EXPECT_THAT(transient.said(), ElementsAre("to 0: poll after 1"));
  EXPECT_THAT(unanswered.said(), ElementsAre("to 0: poll after 1"));
  transient.receive(kDirectory, UpToDate{DirectoryPosition{1}});
  EXPECT_THAT(transient.said(), ElementsAre("to 1: request request 0.1 attempt 1 epoch 1: read key 1"));
}

TEST(Router, a_mutant_refreshes_for_each_who_waits) {
  DrivenRouter router(Mutant::client_no_singleflight);
  router.learn(record(kA, 1), 1).ask(0).ask(1);
  router.refuse(kA, attempt(0, 0), Signal::stale_epoch, record(kB, 5), 5);

  router.refuse(kA, attempt(1, 0), Signal::stale_epoch, record(kB, 5), 5);

  EXPECT_THAT(router.said(), ElementsAre("to 0: poll after 1"));
}

TEST(Router, a_mutant_takes_every_signal_for_transient) {
  DrivenRouter router(Mutant::client_collapses_errors);
  router.learn(record(kA, 1), 1).ask();

  router.refuse(kA, attempt(0, 0), Signal::not_owner, record(kB, 5), 5);

  EXPECT_TRUE(router.is_silent());
}

TEST(Router, a_mutant_takes_the_target_of_a_move_under_way_for_the_owner) {
  DrivenRouter router(Mutant::temp_redirect_updates_map);
  ShardRecord moving = record(kA, 1);
  moving.phase = MovePhase::copying;
  moving.target = kB;

  router.ask().refuse(kA, attempt(0, 0), Signal::not_owner, moving, 5);

  EXPECT_THAT(router.said(), ElementsAre("to 2: request request 0.1 attempt 1 epoch 1: read key 1"));
}

TEST(Router, a_mutant_gives_every_retry_another_id) {
  DrivenRouter router(Mutant::client_new_request_id_on_retry);
  router.learn(record(kA, 1), 1).ask();

  router.at(8).fire(0);

  EXPECT_THAT(router.said(), ElementsAre("to 1: request request 0.2 attempt 1 epoch 1: read key 1"));
}

}  // namespace
}  // namespace shardcheck::impl
