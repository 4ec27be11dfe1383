// Inboxes with a bound: what arrives at a full one is lost, and never in silence.
#include <gmock/gmock.h>

#include "sim/toy_world.h"

namespace shardcheck::sim::toy {
namespace {

using testing::ElementsAre;

TEST(World, a_message_that_finds_a_full_inbox_is_lost_and_that_is_told) {
  ToyWorld world({}, 2);

  world.tell(kA, work(3)).tell(kA, hear(7)).tell(kA, hear(8)).tell(kA, hear(9)).run_to(10);
  world.tell(kA, hear(10)).run_to(11);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 0 works for 3", "0.000 ms: 0 had no room", "3.000 ms: 0 heard 7",
                                       "3.000 ms: 0 heard 8", "10.000 ms: 0 heard 10"));
}

TEST(World, a_full_inbox_loses_no_timer) {
  ToyWorld world({}, 1);

  world.tell(kA, wake(2)).tell(kA, work(3)).tell(kA, hear(7)).run_to(10);

  EXPECT_THAT(world.log(), ElementsAre("0.000 ms: 0 works for 3", "3.000 ms: 0 heard 7", "3.000 ms: 0 woke for 2"));
}

}  // namespace
}  // namespace shardcheck::sim::toy
