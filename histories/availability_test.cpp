#include "histories/availability.h"

#include <gtest/gtest.h>

#include "histories/story_fixture.h"

namespace shardcheck::histories {
namespace {

KeyAvailability of(const std::vector<std::string>& lines) {
  const std::vector<KeyAvailability> keys = availability_of(story(lines));
  EXPECT_EQ(keys.size(), 1U);
  return keys.empty() ? KeyAvailability{} : keys.front();
}

TEST(Availability, of_a_key_that_answers_is_the_slowest_answer) {
  const KeyAvailability key = of(
      {"0 invoke write 1", "0 ok write 1", "0 invoke read null", "1 invoke write 2", "1 info write 2", "0 ok read 1"});

  EXPECT_EQ(key.operations, 3U);
  EXPECT_EQ(key.successes, 2U);
  ASSERT_TRUE(key.longest);
  EXPECT_EQ(key.longest->begin, TrueTime{3});
  EXPECT_EQ(key.longest->end, TrueTime{6});
  EXPECT_EQ(key.longest->operation, 1U);
  EXPECT_EQ(key.longest->operations, 2U);
  EXPECT_FALSE(key.longest->is_final);
  EXPECT_FALSE(key.dead);
}

TEST(Availability, counts_the_pause_between_two_attempts_that_fail) {
  const KeyAvailability key = of(
      {"0 invoke write 1", "0 fail write 1", "0 invoke write 1", "0 fail write 1", "0 invoke write 1", "0 ok write 1"});

  ASSERT_TRUE(key.longest);
  EXPECT_EQ(key.longest->begin, TrueTime{1});
  EXPECT_EQ(key.longest->end, TrueTime{4});
  EXPECT_EQ(key.longest->operations, 2U);
}

TEST(Availability, never_blames_a_key_that_nobody_asks) {
  HistoryBuilder builder;
  ValueTable& values = builder.values();
  const auto ask = [&](int process, std::int64_t at) {
    return builder.invoke(TrueTime{at}, {.process = values.number(process), .key = values.string("k")});
  };
  builder.unknown(TrueTime{2}, ask(0, 1));
  ask(2, 3);  // by a client that is never heard of again
  builder.ok(TrueTime{5}, ask(1, 4));
  builder.ok(TrueTime{1'001}, ask(1, 1'000));

  const std::vector<KeyAvailability> keys = availability_of(builder.history());

  ASSERT_TRUE(keys.front().longest);
  EXPECT_EQ(keys.front().longest->begin, TrueTime{3});
  EXPECT_EQ(keys.front().longest->end, TrueTime{5});
  EXPECT_FALSE(keys.front().dead);
}

TEST(Availability, sees_a_key_that_died) {
  const KeyAvailability key = of({"0 invoke write 1", "0 ok write 1", "0 invoke read null", "0 info read null",
                                  "1 invoke read null", "1 fail read null", "0 invoke write 2", "0 info write 2"});

  ASSERT_TRUE(key.dead);
  EXPECT_EQ(key.dead->begin, TrueTime{3});
  EXPECT_EQ(key.dead->end, TrueTime{8});
  EXPECT_EQ(key.dead->operation, 1U);
  EXPECT_EQ(key.dead->operations, 3U);
  EXPECT_TRUE(key.dead->is_final);
  EXPECT_EQ(key.longest->length(), Duration{5});
}

TEST(Availability, takes_the_end_of_a_recording_for_no_death) {
  EXPECT_FALSE(of({"0 invoke write 1", "0 ok write 1", "0 invoke read null", "1 invoke read null"}).dead);
}

TEST(Availability, takes_a_refused_cas_for_an_answer) {
  const KeyAvailability key = of({"0 invoke cas [1,2]", "0 fail cas [1,2]", "0 invoke cas [1,2]", "0 fail cas [1,2]",
                                  "0 invoke cas [1,2]", "0 fail cas [1,2]"});

  EXPECT_EQ(key.successes, 3U);
  EXPECT_FALSE(key.dead);
}

}  // namespace
}  // namespace shardcheck::histories
