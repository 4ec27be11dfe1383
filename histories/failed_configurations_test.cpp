#include "histories/failed_configurations.h"

#include <gtest/gtest.h>

#include <vector>

namespace shardcheck::histories {
namespace {

using Description = std::vector<std::uint32_t>;

TEST(FailedConfigurations, contain_what_was_put_in_and_nothing_else_of_the_same_hash) {
  FailedConfigurations failed;
  const std::vector<Description> put{{}, {0}, {0, 0}, {0x80000001, 4, 6, 70, 300}, {0xffffffff, 0, 0xffffffff}};
  const std::vector<Description> not_put{{1}, {0, 0, 0}, {0x80000001, 4, 6, 70}, {0x80000001, 4, 6, 70, 301}};

  for (const Description& description : put) {
    EXPECT_FALSE(failed.contains(7, description));
    failed.insert(7, description);
  }

  for (const Description& description : put) {
    EXPECT_TRUE(failed.contains(7, description));
    EXPECT_FALSE(failed.contains(8, description));
  }
  for (const Description& description : not_put) {
    EXPECT_FALSE(failed.contains(7, description));
  }
}

TEST(FailedConfigurations, keep_very_many_and_very_long_ones_and_forget_them_when_cleared) {
  FailedConfigurations failed;
  const auto description_of = [](std::uint32_t i) {
    // Now and then one that is longer than a block.
    return i % 10'000 == 9'999 ? Description(700'000, i * 0x9e3779b9U) : Description{i, 3 * i, 5 * i + 1};
  };
  const auto hash_of = [](std::uint32_t i) { return std::uint64_t{i % 9'000} * 0x9e3779b97f4a7c15U; };
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 40'000; ++i) {
      failed.insert(hash_of(i), description_of(i));
    }
    std::uint32_t missing = 0;
    for (std::uint32_t i = 0; i < 40'000; ++i) {
      missing += failed.contains(hash_of(i), description_of(i)) ? 0U : 1U;
      missing += failed.contains(hash_of(i) + 1, description_of(i)) ? 1U : 0U;
    }
    EXPECT_EQ(missing, 0U);
    EXPECT_GT(failed.memory_bytes(), 40'000U * 20);

    failed.clear();
    EXPECT_TRUE(failed.is_empty());
    EXPECT_FALSE(failed.contains(1, description_of(1)));
  }
}

// A search over fifty clients describes a configuration by about fifty words, each a little larger than the one before.
TEST(FailedConfigurations, take_less_than_half_of_the_bytes_of_their_words) {
  FailedConfigurations failed;
  constexpr std::uint32_t kCount = 100'000;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    Description description{0x80000000U + i};
    for (std::uint32_t word = 0; word < 50; ++word) {
      description.push_back(1'000 + word * 2);
    }
    failed.insert(std::uint64_t{i} * 0x9e3779b97f4a7c15U, description);
  }

  EXPECT_LT(failed.memory_bytes(), std::uint64_t{kCount} * 51 * sizeof(std::uint32_t) / 2);
}

}  // namespace
}  // namespace shardcheck::histories
