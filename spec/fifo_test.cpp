#include "spec/fifo.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

namespace shardcheck {
namespace {

TEST(Fifo, begins_empty) {
  const Fifo<int> queue;
  EXPECT_TRUE(queue.is_empty());
  EXPECT_EQ(queue.size(), 0U);
}

TEST(Fifo, a_popped_item_is_gone_and_the_next_one_is_the_first) {
  Fifo<int> queue;
  queue.push(1);
  queue.push(2);

  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.front(), 2);
  EXPECT_EQ(queue.back(), 2);
  EXPECT_EQ(queue.size(), 1U);
}

TEST(Fifo, nothing_is_left_after_clear) {
  Fifo<int> queue;
  queue.push(1);
  queue.clear();
  EXPECT_TRUE(queue.is_empty());

  queue.push(2);
  EXPECT_EQ(queue.front(), 2);
}

// Long enough that what was popped is given up many times, with the queue full and with it nearly empty.
TEST(Fifo, agrees_with_a_deque) {
  std::deque<std::uint32_t> expected;
  Fifo<std::uint32_t> queue;
  std::uint32_t state = 7;
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    SCOPED_TRACE(i);
    state = state * 1'664'525U + 1'013'904'223U;
    const std::uint32_t pushes_in_eight = (i / 500) % 2 == 0 ? 6 : 3;
    if (expected.empty() || (state >> 24U) % 8 < pushes_in_eight) {
      queue.push(i);
      expected.push_back(i);
    } else {
      ASSERT_EQ(queue.pop(), expected.front());
      expected.pop_front();
    }
    ASSERT_EQ(queue.size(), expected.size());
    if (!expected.empty()) {
      ASSERT_EQ(queue.front(), expected.front());
      ASSERT_EQ(queue.back(), expected.back());
    }
  }
}

}  // namespace
}  // namespace shardcheck
