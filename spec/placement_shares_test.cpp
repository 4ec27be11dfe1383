// The laws over a toy of whole partitions, and the arithmetic of shares.
#include "spec/placement_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/placement_claim.h"
#include "spec/placement_laws.h"

namespace shardcheck {
namespace {

PlacementCase three_members() {
  return {.parameters = {},
          .members = {{.name = "A"}, {.name = "B"}, {.name = "C"}},
          .edits = {},
          .keys = {"user:1", "user:2", "user:3", "user:4"},
          .answers = {}};
}

std::uint64_t partition_of(std::string_view key) {
  std::uint64_t sum = 0;
  for (const char byte : key) {
    sum = sum * 31 + static_cast<unsigned char>(byte);
  }
  return sum % 12;
}

// Twelve partitions, dealt to the members in turns by name, or with the flaw all to the first one.
class Dealt final : public Placement {
 public:
  explicit Dealt(bool is_greedy) : is_greedy_(is_greedy) {}

  PlacementPromises promises() const override {
    return {.movement = Promise::none, .balance = Promise::exactly, .partitions_off_max = 1};
  }
  Result<void> add(const Member& member) override { return edit({EditKind::add, member}); }
  Result<void> remove(std::string_view name) override { return edit({EditKind::remove, {.name = std::string(name)}}); }
  Result<void> set_weight(std::string_view name, std::int64_t weight) override {
    return edit({EditKind::set_weight, {.name = std::string(name), .weight = weight}});
  }
  Result<std::string_view> owner(std::string_view key) const override { return owner_at(partition_of(key)); }
  Result<std::vector<std::string_view>> preference_list(std::string_view, std::size_t) const override {
    return fail("toy", "has no lists");
  }
  std::uint64_t partitions() const override { return 12; }
  std::uint64_t position_max() const override { return 11; }
  std::optional<std::uint64_t> position_of(std::string_view key) const override { return partition_of(key); }
  Result<std::string_view> owner_at(std::uint64_t position) const override {
    if (membership_.members().empty()) {
      return fail("toy", "no member");
    }
    const std::uint64_t turn = is_greedy_ ? 0 : position % membership_.members().size();
    return std::next(membership_.members().begin(), static_cast<std::ptrdiff_t>(turn))->first;
  }

 private:
  Result<void> edit(const PlacementEdit& edit) {
    return membership_.apply(edit) ? Result<void>{} : fail("toy", "not a valid edit");
  }

  bool is_greedy_;
  Membership membership_;
};

PlacementFactory dealt(bool is_greedy) {
  return {"dealt", [is_greedy](PlacementParameters) { return std::make_unique<Dealt>(is_greedy); }};
}

TEST(Partitions, are_judged_one_by_one) {
  EXPECT_EQ(check_balance(dealt(false), three_members()).violation, std::nullopt);
  EXPECT_EQ(check_coverage(dealt(false), three_members()).violation, std::nullopt);
  EXPECT_GT(check_coverage(dealt(false), three_members()).checks, 12U);

  const LawResult unfair = check_balance(dealt(true), three_members());
  ASSERT_TRUE(unfair.violation.has_value());
  EXPECT_THAT(unfair.violation->message, testing::HasSubstr("of all positions; its weight gives 33.333 %"));
  const LawResult moved = check_minimal_movement(held_to(dealt(false), ClauseId::P3), three_members());
  ASSERT_TRUE(moved.violation.has_value());
  EXPECT_THAT(moved.violation->message, testing::HasSubstr("moves position"));
}

TEST(Shares, deviation_is_that_of_the_law_for_equal_members) {
  // sqrt((N-1)/(N V + 1)) of the fair share, N = 10, V = 100: 0.09482 of 429496730.
  EXPECT_NEAR(static_cast<double>(share_deviation_units(1, 10, {.points_per_weight = 100})), 40'723'000, 5'000);
  // Binomial: sqrt(0.1 * 0.9 / 4096) of everything.
  EXPECT_NEAR(static_cast<double>(share_deviation_units(1, 10, {.sample_keys = 4096})), 20'132'659, 5'000);
  EXPECT_EQ(share_deviation_units(5, 5, {.points_per_weight = 100}), 0U);
}

TEST(Shares, one_of_two_heirs_may_not_take_nearly_everything) {
  // 1 - (sqrt(1/2) - sqrt(25/100))^2 = 0.9571, and (sqrt(1/20) + sqrt(25/300))^2 = 0.2624, of 2^32.
  EXPECT_NEAR(static_cast<double>(inheritance_max_units(1, 2, 100)), 4.1107e9, 1e6);
  EXPECT_NEAR(static_cast<double>(inheritance_max_units(1, 20, 300)), 1.1271e9, 1e6);
}

}  // namespace
}  // namespace shardcheck
