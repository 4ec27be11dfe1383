#include "impl/placement/tenant_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace shardcheck::impl {
namespace {

TenantId tenant_of(std::uint64_t number) {
  TenantId tenant{};
  for (std::size_t byte = 0; byte < 8; ++byte) {
    tenant.bytes[15 - byte] = static_cast<std::uint8_t>(number >> 8 * byte);
  }
  return tenant;
}

TenantDirectory directory_with_owners(int owners) {
  TenantDirectory directory;
  for (int number = 0; number < owners; ++number) {
    EXPECT_TRUE(directory.add_owner(fmt::format("node-{}", number)).has_value());
  }
  return directory;
}

std::uint64_t next(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t word = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

TEST(TenantDirectory, a_tenant_that_nobody_placed_has_no_owner) {
  TenantDirectory directory = directory_with_owners(2);

  EXPECT_FALSE(directory.find(tenant_of(7)).has_value());
  EXPECT_FALSE(directory.place(tenant_of(7), 2).has_value());
  ASSERT_TRUE(directory.place(tenant_of(7), 1).has_value());

  EXPECT_EQ(directory.find(tenant_of(7)), TenantPlace{.owner = 1});
  EXPECT_FALSE(directory.find(tenant_of(8)).has_value());
  EXPECT_EQ(directory.owner_name(1), "node-1");
}

// Few tenants and many removals, so that every place of a probe is taken, given up and taken again.
TEST(TenantDirectory, answers_are_those_of_a_plain_map) {
  TenantDirectory directory = directory_with_owners(100);
  std::map<std::uint64_t, TenantOwner> plain;
  std::uint64_t state = 1;

  for (int step = 0; step < 100'000; ++step) {
    const std::uint64_t number = next(state) % 20'000;
    if (next(state) % 3 == 0) {
      EXPECT_EQ(directory.remove(tenant_of(number)).has_value(), plain.erase(number) == 1) << step;
    } else {
      const auto owner = static_cast<TenantOwner>(next(state) % 100);
      ASSERT_TRUE(directory.place(tenant_of(number), owner).has_value());
      plain[number] = owner;
    }
  }

  EXPECT_EQ(directory.tenants(), plain.size());
  std::map<TenantOwner, std::uint64_t> places;
  for (std::uint64_t number = 0; number < 20'000; ++number) {
    const auto known = plain.find(number);
    const std::optional<TenantPlace> found = directory.find(tenant_of(number));
    ASSERT_EQ(found.has_value(), known != plain.end()) << number;
    if (found) {
      ASSERT_EQ(found->owner, known->second) << number;
      ++places[found->owner];
    }
  }
  for (TenantOwner owner = 0; owner < 100; ++owner) {
    EXPECT_EQ(directory.places_of(owner), places[owner]);
  }
}

TEST(TenantDirectory, a_tenant_takes_at_most_32_bytes_at_every_size) {
  TenantDirectory directory = directory_with_owners(1'000);
  std::uint64_t bytes_per_tenant_max = 0;

  for (std::uint64_t number = 1; number <= 200'000; ++number) {
    ASSERT_TRUE(directory.place(tenant_of(number), static_cast<TenantOwner>(number % 1'000)).has_value());
    if (number >= 100'000 && number % 1'000 == 0) {
      bytes_per_tenant_max = std::max(bytes_per_tenant_max, (directory.bytes() + number - 1) / number);
    }
  }

  EXPECT_LE(bytes_per_tenant_max, 32U);
  EXPECT_GE(bytes_per_tenant_max, 20U);
}

TEST(TenantDirectory, a_moving_tenant_is_served_by_its_owner_until_the_move_ends) {
  TenantDirectory directory = directory_with_owners(3);
  ASSERT_TRUE(directory.place(tenant_of(1), 0).has_value());

  ASSERT_TRUE(directory.begin_move(tenant_of(1), std::nullopt, 2).has_value());
  EXPECT_EQ(directory.find(tenant_of(1)), (TenantPlace{.owner = 0, .target = 2}));
  EXPECT_FALSE(directory.begin_move(tenant_of(1), std::nullopt, 1).has_value());
  EXPECT_FALSE(directory.place(tenant_of(1), 1).has_value());
  EXPECT_FALSE(directory.remove(tenant_of(1)).has_value());
  EXPECT_FALSE(directory.split(tenant_of(1), 4).has_value());

  ASSERT_TRUE(directory.end_move(tenant_of(1), std::nullopt).has_value());
  EXPECT_EQ(directory.find(tenant_of(1)), TenantPlace{.owner = 2});
  EXPECT_EQ(directory.places_of(0), 0U);
  EXPECT_FALSE(directory.end_move(tenant_of(1), std::nullopt).has_value());
}

TEST(TenantDirectory, an_aborted_move_leaves_the_tenant_where_it_was) {
  TenantDirectory directory = directory_with_owners(2);
  ASSERT_TRUE(directory.place(tenant_of(1), 0).has_value());
  EXPECT_FALSE(directory.begin_move(tenant_of(1), std::nullopt, 0).has_value());
  EXPECT_FALSE(directory.begin_move(tenant_of(1), std::nullopt, 2).has_value());
  ASSERT_TRUE(directory.begin_move(tenant_of(1), std::nullopt, 1).has_value());

  ASSERT_TRUE(directory.abort_move(tenant_of(1), std::nullopt).has_value());

  EXPECT_EQ(directory.find(tenant_of(1)), TenantPlace{.owner = 0});
  EXPECT_TRUE(directory.begin_move(tenant_of(1), std::nullopt, 1).has_value());
}

TEST(TenantDirectory, buckets_of_a_big_tenant_move_one_by_one_and_take_no_other_key_along) {
  TenantDirectory directory = directory_with_owners(3);
  ASSERT_TRUE(directory.place(tenant_of(1), 0).has_value() && directory.place(tenant_of(2), 0).has_value());
  ASSERT_TRUE(directory.split(tenant_of(1), 8).has_value());
  EXPECT_EQ(directory.places_of(0), 9U);
  EXPECT_FALSE(directory.begin_move(tenant_of(1), std::nullopt, 1).has_value());
  EXPECT_FALSE(directory.begin_move(tenant_of(1), 8, 1).has_value());

  ASSERT_TRUE(directory.begin_move(tenant_of(1), 5, 1).has_value());
  EXPECT_FALSE(directory.remove(tenant_of(1)).has_value());
  ASSERT_TRUE(directory.end_move(tenant_of(1), 5).has_value());

  std::set<std::uint32_t> buckets;
  for (int number = 0; number < 1'000; ++number) {
    const std::string key = fmt::format("order:{}", number);
    const std::uint32_t bucket = TenantDirectory::bucket_of(key, 8);
    buckets.insert(bucket);
    EXPECT_EQ(directory.find(tenant_of(1), key)->owner, bucket == 5 ? 1 : 0) << key;
    EXPECT_EQ(directory.find(tenant_of(2), key)->owner, 0) << key;
  }
  EXPECT_EQ(buckets.size(), 8U);
  EXPECT_EQ(directory.places_of(1), 1U);
}

TEST(TenantDirectory, a_split_tenant_is_merged_when_all_its_buckets_are_at_one_owner) {
  TenantDirectory directory = directory_with_owners(2);
  ASSERT_TRUE(directory.place(tenant_of(1), 0).has_value() && directory.split(tenant_of(1), 2).has_value());
  ASSERT_TRUE(directory.begin_move(tenant_of(1), 0, 1).has_value());
  EXPECT_FALSE(directory.merge(tenant_of(1)).has_value());
  ASSERT_TRUE(directory.end_move(tenant_of(1), 0).has_value());
  EXPECT_FALSE(directory.merge(tenant_of(1)).has_value());
  ASSERT_TRUE(directory.begin_move(tenant_of(1), 1, 1).has_value() && directory.end_move(tenant_of(1), 1).has_value());

  ASSERT_TRUE(directory.merge(tenant_of(1)).has_value());

  EXPECT_EQ(directory.buckets(tenant_of(1)), 1U);
  EXPECT_EQ(directory.find(tenant_of(1), "any"), TenantPlace{.owner = 1});
  EXPECT_EQ(directory.places_of(0), 0U);
  EXPECT_EQ(directory.places_of(1), 1U);
}

TEST(TenantDirectory, a_split_tenant_is_removed_with_its_buckets) {
  TenantDirectory directory = directory_with_owners(1);
  ASSERT_TRUE(directory.place(tenant_of(1), 0).has_value());
  EXPECT_FALSE(directory.split(tenant_of(1), 1).has_value());
  EXPECT_FALSE(directory.split(tenant_of(1), kTenantBucketsMax + 1).has_value());
  ASSERT_TRUE(directory.split(tenant_of(1), 16).has_value());
  EXPECT_FALSE(directory.split(tenant_of(1), 16).has_value());

  ASSERT_TRUE(directory.remove(tenant_of(1)).has_value());

  EXPECT_EQ(directory.buckets(tenant_of(1)), 0U);
  EXPECT_EQ(directory.places_of(0), 0U);
  EXPECT_FALSE(directory.find(tenant_of(1)).has_value());
}

TEST(TenantDirectory, owners_have_names_of_their_own) {
  TenantDirectory directory = directory_with_owners(1);

  EXPECT_FALSE(directory.add_owner("node-0").has_value());
  EXPECT_FALSE(directory.add_owner("").has_value());
}

}  // namespace
}  // namespace shardcheck::impl
