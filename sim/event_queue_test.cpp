#include "sim/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/choices.h"

namespace shardcheck::sim {
namespace {

TEST(EventQueue, the_earlier_event_comes_first) {
  EventQueue<char> queue;
  queue.push(TrueTime{30}, 'c');
  queue.push(TrueTime{10}, 'a');
  queue.push(TrueTime{20}, 'b');

  EXPECT_EQ(queue.next_at(), TrueTime{10});
  EXPECT_EQ(queue.pop(), 'a');
  EXPECT_EQ(queue.pop(), 'b');
  EXPECT_EQ(queue.pop(), 'c');
  EXPECT_TRUE(queue.is_empty());
}

TEST(EventQueue, events_of_one_time_come_in_the_order_in_which_they_were_added) {
  EventQueue<char> queue;
  for (const char name : {'a', 'b', 'c', 'd', 'e', 'f'}) {
    queue.push(TrueTime{5}, name);
  }

  for (const char name : {'a', 'b', 'c', 'd', 'e', 'f'}) {
    EXPECT_EQ(queue.pop(), name);
  }
}

TEST(EventQueue, nothing_is_left_after_clear) {
  EventQueue<char> queue;
  queue.push(TrueTime{5}, 'a');

  queue.clear();

  EXPECT_TRUE(queue.is_empty());
}

// Many pushes and pops, against a list into which each event is inserted behind all that are not later.
TEST(EventQueue, agrees_with_a_sorted_list) {
  struct Listed {
    TrueTime at;
    int payload;
  };
  SeededChoices choices(3);
  EventQueue<int> queue;
  std::vector<Listed> list;

  for (std::uint32_t i = 0; i < 3'000; ++i) {
    SCOPED_TRACE(i);
    const bool is_push = list.empty() || choices.below(5, Label{1, 0, i}) < 3;
    if (is_push) {
      const TrueTime at{static_cast<std::int64_t>(choices.below(40, Label{2, 0, i}))};
      queue.push(at, static_cast<int>(i));
      list.insert(std::ranges::upper_bound(list, at, {}, &Listed::at), {at, static_cast<int>(i)});
    } else {
      ASSERT_EQ(queue.next_at(), list.front().at);
      ASSERT_EQ(queue.pop(), list.front().payload);
      list.erase(list.begin());
    }
    ASSERT_EQ(queue.is_empty(), list.empty());
  }
}

}  // namespace
}  // namespace shardcheck::sim
