// A storage node that has more to do than it may: it refuses, and the refusal promises nothing but that.
#include <gmock/gmock.h>

#include "impl/driven_storage.h"

namespace shardcheck::impl {
namespace {

using testing::Contains;

ClusterOptions with_room_for(std::uint16_t unanswered) {
  ClusterOptions options = two_nodes();
  options.unanswered_max = unanswered;
  return options;
}

TEST(Overload, with_so_much_unanswered_the_next_request_is_transient_and_has_no_effect) {
  ServingA a(with_room_for(2));
  a.write(1, 7, 1);
  a.write(2, 8, 2);

  a.write(3, 9, 3);
  a.sync();

  EXPECT_THAT(a.said(), Contains("to 3: refusal request 0.3 attempt 0 transient highest epoch 1"));
  ASSERT_EQ(a.observed<Answered>().size(), 1U);
  EXPECT_TRUE(a.observed<Answered>()[0].is_overloaded);
  EXPECT_EQ(a.value(2), number(8));
  EXPECT_EQ(a.value(3), absent());
}

TEST(Overload, ends_when_answers_have_left) {
  ServingA a(with_room_for(1));
  a.write(1, 7, 1).sync();

  a.write(3, 9, 2).sync();

  EXPECT_EQ(a.value(3), number(9));
}

TEST(Overload, signals_that_say_more_come_first) {
  ServingA a(with_room_for(1));
  a.write(1, 7, 1);

  a.read(1, 2, Epoch{});
  a.sync();

  EXPECT_THAT(a.said(),
              Contains("to 3: refusal request 0.2 attempt 0 not_owner highest epoch 1, go to 1 under epoch 1"));
}

TEST(Overload, writes_that_a_throttle_holds_back_are_unanswered_too) {
  ServingA a(with_room_for(2));
  MoveOrder order{.kind = OrderKind::send_log, .record = record_in(MovePhase::catching_up)};
  order.changed_at = position_of(MovePhase::catching_up);
  order.is_throttled = true;
  a.learn(MovePhase::catching_up).sync();
  a.at(10).receive(kMover, order);
  a.sync();
  a.write(1, 7, 1).sync();
  a.write(2, 8, 2);
  a.write(3, 9, 3);

  a.read(1, 4);

  ASSERT_EQ(a.observed<Answered>().size(), 1U);
  EXPECT_TRUE(a.observed<Answered>()[0].is_overloaded);
}

}  // namespace
}  // namespace shardcheck::impl
