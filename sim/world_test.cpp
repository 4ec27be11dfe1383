#include "sim/world.h"

#include <gmock/gmock.h>

#include "sim/toy_world.h"

namespace shardcheck::sim::toy {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

TEST(World, a_quiet_message_arrives_after_the_delay_of_its_link) {
  ToyWorld world;

  world.tell(kA, pass_on(7, kB)).run_to(1);

  EXPECT_THAT(world.log(), ElementsAre("0.500 ms: 1 heard 7"));
}

TEST(World, a_process_serves_in_order_by_its_declared_cost) {
  ToyWorld world;

  world.tell(kA, work(3)).tell(kA, work(2)).tell(kA, hear(7)).run_to(10);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 0 works for 3", "3.000 ms: 0 works for 2", "5.000 ms: 0 heard 7"));
}

TEST(World, what_comes_while_others_wait_waits_behind_them) {
  ToyWorld world;

  world.tell(kA, work(3)).tell(kA, work(2)).run_to(1).tell(kA, hear(7)).run_to(10);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 0 works for 3", "3.000 ms: 0 works for 2", "5.000 ms: 0 heard 7"));
}

TEST(World, a_timer_fires_when_the_clock_of_its_process_reads_it) {
  ToyWorld world;
  world.world().set_clock(kB, milliseconds(-1), 0);

  world.tell(kA, wake(5)).tell(kB, wake(5)).run_to(10);

  EXPECT_THAT(world.log(), ElementsAre("5.000 ms: 0 woke for 5", "6.000 ms: 1 woke for 5"));
}

TEST(World, a_sync_that_is_asked_for_during_another_follows_it) {
  ToyWorld world;

  world.tell(kA, keep(1)).run_to_us(100).tell(kA, keep(2)).tell(kA, keep(3)).run_to(1);

  EXPECT_THAT(world.log(), ElementsAre("0.200 ms: 0 synced 1", "0.400 ms: 0 synced 3"));
}

// What happens to messages.

TEST(World, a_delayed_message_arrives_so_much_later) {
  ToyWorld world({at(kA, kB, FaultKind::delayed, milliseconds(2))});

  world.tell(kA, pass_on(7, kB)).tell(kA, pass_on(8, kB)).run_to(3);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 1 delay", "0.500 ms: 1 heard 8", "2.500 ms: 1 heard 7"));
}

TEST(World, a_dropped_message_never_arrives) {
  ToyWorld world({at(kA, kB, FaultKind::dropped, {}, 1)});

  world.tell(kA, pass_on(7, kB)).tell(kA, pass_on(8, kB)).tell(kA, pass_on(9, kB)).run_to(3);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 1 drop", "0.500 ms: 1 heard 7", "0.500 ms: 1 heard 9"));
}

TEST(World, a_duplicated_message_arrives_twice) {
  ToyWorld world({at(kA, kB, FaultKind::duplicated, milliseconds(2))});

  world.tell(kA, pass_on(7, kB)).run_to(3);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 1 duplicate", "0.500 ms: 1 heard 7", "2.500 ms: 1 heard 7"));
}

TEST(World, a_cut_link_loses_what_is_sent_in_its_direction_until_it_ends) {
  ToyWorld world({at(kA, kB, FaultKind::link_cut, milliseconds(5))});
  world.tell(kA, pass_on(1, kB)).run_to(1);

  world.tell(kA, pass_on(2, kB)).tell(kB, pass_on(3, kA)).run_to(5);
  world.tell(kA, pass_on(4, kB)).run_to(6);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 1 cut", "1.500 ms: 0 heard 3", "5.500 ms: 1 heard 4"));
}

TEST(World, a_link_cut_both_ways_loses_what_is_sent_in_either) {
  Deviation cut = at(kA, kB, FaultKind::link_cut, milliseconds(5));
  cut.is_both_ways = true;
  ToyWorld world({cut});
  world.tell(kA, pass_on(1, kB)).run_to(1);

  world.tell(kA, pass_on(2, kB)).tell(kB, pass_on(3, kA)).tell(kB, pass_on(4, kC)).run_to(5);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 1 cut", "1.500 ms: 2 heard 4"));
}

TEST(World, what_was_under_way_when_a_link_was_cut_arrives) {
  ToyWorld world({at(kA, kB, FaultKind::link_cut, milliseconds(5), 1)});

  world.tell(kA, pass_on(1, kB)).tell(kA, pass_on(2, kB)).run_to(5);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 1 cut", "0.500 ms: 1 heard 1"));
}

TEST(World, a_held_message_waits_for_its_signal) {
  Deviation held = at(kA, kB, FaultKind::held_until_phase);
  held.until_signal = 4;
  ToyWorld world({held});
  world.tell(kA, pass_on(7, kB)).run_to(10);

  world.world().signal(3);
  world.run_to(20);
  world.world().signal(4);
  world.run_to(30);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 1 hold_until", "20.000 ms: 1 heard 7"));
}

TEST(World, a_held_message_is_released_by_heal) {
  ToyWorld world({at(kA, kB, FaultKind::held_until_phase)});
  world.tell(kA, pass_on(7, kB)).run_to(10);

  world.world().heal();
  world.run_to(11);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 1 hold_until", "10.000 ms: 1 heard 7"));
}

// What happens to processes.

TEST(World, a_crash_loses_what_was_not_synced_and_the_restart_finds_what_was) {
  ToyWorld world;
  world.tell(kA, keep(1)).run_to(1).tell(kA, jot(2)).run_to(2);

  world.strike(kA, fault(FaultKind::crashed, milliseconds(3))).run_to(10);

  EXPECT_THAT(world.log(), ElementsAre("0.200 ms: 0 synced 1", "2.000 ms: 0 crash", "2.000 ms: 0 went down",
                                       "5.000 ms: 0 restarted", "5.000 ms: 0 found 1"));
}

TEST(World, who_is_lost_for_good_never_comes_back) {
  ToyWorld world;

  world.run_to(2).strike(kA, fault(FaultKind::lost_for_good, {})).tell(kA, hear(7)).run_to(10);
  world.world().heal();
  world.tell(kA, hear(8)).run_to(20);

  EXPECT_THAT(world.log(), ElementsAre("2.000 ms: 0 lose_for_good", "2.000 ms: 0 went down"));
  EXPECT_TRUE(world.world().is_gone(kA));
  EXPECT_FALSE(world.world().is_gone(kB));
  world.begin();
  EXPECT_FALSE(world.world().is_gone(kA));
}

TEST(World, some_unsynced_records_may_survive_a_crash) {
  ToyWorld world;
  world.tell(kA, jot(1)).tell(kA, jot(2)).tell(kA, jot(3)).run_to(1);
  Deviation crash = fault(FaultKind::crashed, milliseconds(1));
  crash.kept_unsynced = 2;

  world.strike(kA, crash).run_to(10);

  EXPECT_THAT(world.log(), ElementsAre("1.000 ms: 0 crash", "1.000 ms: 0 went down", "2.000 ms: 0 restarted",
                                       "2.000 ms: 0 found 1", "2.000 ms: 0 found 2"));
}

TEST(World, a_crash_during_a_sync_loses_what_it_was_for) {
  ToyWorld world;
  world.tell(kA, keep(1)).run_to_us(100);

  world.strike(kA, fault(FaultKind::crashed, milliseconds(1))).run_to(10);

  EXPECT_THAT(world.log(), ElementsAre("0.100 ms: 0 crash", "0.100 ms: 0 went down", "1.100 ms: 0 restarted"));
}

TEST(World, a_sync_of_the_former_incarnation_says_nothing_to_the_next_one) {
  ToyWorld world;
  world.tell(kA, keep(1)).run_to_us(100);

  world.strike(kA, fault(FaultKind::crashed, microseconds(10))).run_to_us(150).tell(kA, keep(2)).run_to(1);

  EXPECT_THAT(world.log(), ElementsAre("0.100 ms: 0 crash", "0.100 ms: 0 went down", "0.110 ms: 0 restarted",
                                       "0.350 ms: 0 synced 1"));
}

TEST(World, timers_of_the_former_incarnation_are_void) {
  ToyWorld world;
  world.tell(kA, wake(5)).run_to(1);

  world.strike(kA, fault(FaultKind::crashed, milliseconds(1))).run_to(2).tell(kA, wake(6)).run_to(10);

  EXPECT_THAT(world.log(), ElementsAre("1.000 ms: 0 crash", "1.000 ms: 0 went down", "2.000 ms: 0 restarted",
                                       "6.000 ms: 0 woke for 6"));
}

TEST(World, a_message_to_a_process_that_is_down_is_lost) {
  ToyWorld world;
  world.strike(kB, fault(FaultKind::crashed, milliseconds(3)));

  world.tell(kA, pass_on(7, kB)).run_to(10);

  EXPECT_FALSE(world.log().empty());
  EXPECT_THAT(world.log(), Not(Contains("0.500 ms: 1 heard 7")));
  EXPECT_EQ(world.log().back(), "3.000 ms: 1 restarted");
}

TEST(World, what_waited_for_a_busy_process_is_lost_when_it_crashes) {
  ToyWorld world;
  world.tell(kA, work(5)).tell(kA, hear(7)).run_to(1);

  world.strike(kA, fault(FaultKind::crashed, milliseconds(1))).run_to(10);

  EXPECT_EQ(world.log().back(), "2.000 ms: 0 restarted");
}

TEST(World, a_lost_disk_has_nothing_on_it_after_the_restart) {
  ToyWorld world;
  world.tell(kA, keep(1)).run_to(1);

  world.strike(kA, fault(FaultKind::disk_lost, milliseconds(1))).run_to(10);

  EXPECT_THAT(world.log(), ElementsAre("0.200 ms: 0 synced 1", "1.000 ms: 0 lose_disk", "1.000 ms: 0 went down",
                                       "2.000 ms: 0 restarted without its disk"));
}

TEST(World, a_crash_after_sending_strikes_the_sender_and_lets_the_message_go) {
  ToyWorld world({at(kA, kB, FaultKind::crashed, milliseconds(1))});

  world.tell(kA, pass_on(7, kB)).run_to(2);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 0 crash", "0.000 ms: 0 went down", "0.500 ms: 1 heard 7",
                                       "1.000 ms: 0 restarted"));
}

TEST(World, a_crash_before_receiving_loses_the_message) {
  Deviation crash = at(kA, kB, FaultKind::crashed, milliseconds(1));
  crash.moment = Moment::before_receiving;
  ToyWorld world({crash});

  world.tell(kA, pass_on(7, kB)).run_to(2);

  EXPECT_THAT(world.log(), ElementsAre("0.500 ms: 1 crash", "0.500 ms: 1 went down", "1.500 ms: 1 restarted"));
}

TEST(World, a_crash_after_receiving_strikes_once_the_message_was_handled) {
  Deviation crash = at(kA, kB, FaultKind::crashed, milliseconds(1));
  crash.moment = Moment::after_receiving;
  ToyWorld world({crash});

  world.tell(kA, pass_on(7, kB)).run_to(2);

  EXPECT_THAT(world.log(), ElementsAre("0.500 ms: 1 heard 7", "0.500 ms: 1 crash", "0.500 ms: 1 went down",
                                       "1.500 ms: 1 restarted"));
}

TEST(World, a_paused_process_answers_later_while_its_clock_goes_on) {
  ToyWorld world;
  world.tell(kB, wake(4)).run_to(1);

  world.strike(kB, fault(FaultKind::paused, milliseconds(9)));
  world.tell(kA, pass_on(7, kB)).tell(kB, tell_time()).run_to(20);

  EXPECT_THAT(world.log(), ElementsAre("1.000 ms: 1 pause", "10.000 ms: 1 reads 10000", "10.000 ms: 1 heard 7",
                                       "10.000 ms: 1 woke for 4"));
}

TEST(World, a_pause_ends_with_the_incarnation_that_was_paused) {
  ToyWorld world;
  world.strike(kA, fault(FaultKind::paused, milliseconds(50))).tell(kA, hear(1)).run_to(1);
  world.strike(kA, fault(FaultKind::crashed, milliseconds(1))).run_to(2);

  world.tell(kA, work(1)).tell(kA, hear(2)).run_to(60);

  EXPECT_EQ(world.log().back(), "3.000 ms: 0 heard 2");
}

TEST(World, a_timer_is_set_again_when_the_clock_was_set_back) {
  ToyWorld world;
  world.tell(kA, wake(5)).run_to(1);

  world.strike(kA, fault(FaultKind::clock_shifted, milliseconds(-2))).run_to(10);

  EXPECT_THAT(world.log(), ElementsAre("1.000 ms: 0 shift_clock", "7.000 ms: 0 woke for 5"));
}

// What healing does.

TEST(World, heal_restarts_everyone_at_once) {
  ToyWorld world;
  world.tell(kA, keep(1)).run_to(1);
  world.strike(kA, fault(FaultKind::crashed, milliseconds(50))).strike(kB, fault(FaultKind::crashed, milliseconds(50)));
  world.run_to(2);

  world.world().heal();
  world.run_to(100);

  EXPECT_THAT(world.log(), ElementsAre("0.200 ms: 0 synced 1", "1.000 ms: 0 crash", "1.000 ms: 0 went down",
                                       "1.000 ms: 1 crash", "1.000 ms: 1 went down", "2.000 ms: 0 restarted",
                                       "2.000 ms: 0 found 1", "2.000 ms: 1 restarted"));
}

TEST(World, heal_ends_cuts_and_stops_deviations) {
  ToyWorld world({at(kA, kB, FaultKind::link_cut, milliseconds(50)), at(kA, kB, FaultKind::dropped, {}, 1)});
  world.tell(kA, pass_on(1, kB)).run_to(1);

  world.world().heal();
  world.tell(kA, pass_on(2, kB)).strike(kA, fault(FaultKind::crashed, milliseconds(1))).run_to(2);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 1 cut", "1.500 ms: 1 heard 2"));
}

TEST(World, heal_ends_pauses_for_those_who_wait_already) {
  ToyWorld world;
  world.strike(kA, fault(FaultKind::paused, milliseconds(50))).tell(kA, hear(1)).run_to(2);

  world.world().heal();
  world.run_to(3).tell(kA, hear(2)).run_to(60);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 0 pause", "2.000 ms: 0 heard 1", "3.000 ms: 0 heard 2"));
}

// Whole runs.

TEST(World, a_run_stops_at_its_bound_of_events) {
  ToyWorld world;
  for (int i = 0; i < 10; ++i) {
    world.tell(kA, hear(i));
  }

  EXPECT_FALSE(world.world().run_until(TrueTime{1'000}, 15));
  EXPECT_EQ(world.world().events(), 15U);
  EXPECT_EQ(world.log().size(), 5U);
  EXPECT_TRUE(world.world().run_until(TrueTime{1'000}, 20));
}

TEST(World, time_passes_when_nothing_happens) {
  ToyWorld world;

  EXPECT_TRUE(world.world().run_until(TrueTime{5'000'000}, 0));

  EXPECT_EQ(world.world().now(), TrueTime{5'000'000});
}

// A story with a bit of everything.
std::uint64_t digest_of_story(ToyWorld& world) {
  world.tell(kA, keep(1)).tell(kA, pass_on(7, kB)).tell(kB, wake(2)).run_to(1);
  world.strike(kB, fault(FaultKind::crashed, milliseconds(1))).tell(kA, pass_on(8, kC)).run_to(10);
  return world.world().digest();
}

TEST(World, the_same_deviations_give_the_same_digest) {
  ToyWorld first({at(kA, kB, FaultKind::delayed, milliseconds(2))});
  ToyWorld second({at(kA, kB, FaultKind::delayed, milliseconds(2))});

  EXPECT_EQ(digest_of_story(first), digest_of_story(second));
  EXPECT_EQ(first.log(), second.log());
}

TEST(World, another_deviation_gives_another_digest) {
  ToyWorld none;
  ToyWorld one({at(kA, kB, FaultKind::delayed, milliseconds(2))});
  ToyWorld other({at(kA, kB, FaultKind::delayed, milliseconds(3))});
  const std::uint64_t digest = digest_of_story(one);

  EXPECT_NE(digest_of_story(none), digest);
  EXPECT_NE(digest_of_story(other), digest);
}

TEST(World, reset_forgets_everything) {
  ToyWorld world({at(kA, kB, FaultKind::delayed, milliseconds(2)), at(kA, kC, FaultKind::held_until_phase)});
  const std::uint64_t digest = digest_of_story(world);
  const auto log = world.log();

  world.begin();

  EXPECT_EQ(world.world().events(), 0U);
  EXPECT_THAT(world.log(), IsEmpty());
  EXPECT_EQ(digest_of_story(world), digest);
  EXPECT_EQ(world.log(), log);
}

TEST(World, traces_only_while_it_is_asked_to) {
  using Kind = TraceEvent<Protocol>::Kind;
  ToyWorld world;
  world.tell(kA, pass_on(7, kB)).run_to(1);
  world.world().set_tracing(true);

  world.tell(kA, pass_on(8, kB)).run_to(2);

  EXPECT_THAT(world.trace(), ElementsAre(Kind::delivered, Kind::sent, Kind::delivered));
}

}  // namespace
}  // namespace shardcheck::sim::toy
