#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "impl/placement/bisect_table.h"
#include "impl/placement/eytzinger_table.h"
#include "impl/placement/line_table.h"
#include "impl/placement/ring.h"
#include "impl/placement/uniform_numbers.h"

namespace shardcheck::impl {
namespace {

static_assert(PointTable<LowerBoundTable<std::uint32_t>> && PointTable<LowerBoundTable<std::uint64_t>>);
static_assert(PointTable<BranchFreeTable<std::uint32_t>> && PointTable<BranchFreeTable<std::uint64_t>>);
static_assert(PointTable<EytzingerTable<std::uint32_t>> && PointTable<EytzingerTable<std::uint64_t>>);
static_assert(PointTable<LineTable<std::uint32_t>> && PointTable<LineTable<std::uint64_t>>);

enum class Spread { uniform, few_positions, one_corner };

template <class Position>
struct Circle {
  std::vector<Position> positions;
  std::vector<MemberIndex> owners;  // the rank, so that no two points have the same answer

  PointList<Position> list() const { return {.positions = positions, .owners = owners}; }
  // What all tables must say, in the words of the contract.
  MemberIndex owner_at(Position asked) const {
    const auto found = std::lower_bound(positions.begin(), positions.end(), asked);
    return owners[found == positions.end() ? 0 : static_cast<std::size_t>(found - positions.begin())];
  }
};

template <class Position>
Circle<Position> circle_of(std::size_t points, Spread spread, bool has_extremes, std::uint64_t seed) {
  constexpr Position kMax = std::numeric_limits<Position>::max();
  UniformNumbers numbers(seed);
  Circle<Position> circle;
  for (std::size_t point = 0; point < points; ++point) {
    const Position drawn = static_cast<Position>(numbers.next());
    switch (spread) {
      case Spread::uniform: circle.positions.push_back(drawn); break;
      case Spread::few_positions: circle.positions.push_back((drawn % 7) * (kMax / 7)); break;
      case Spread::one_corner: circle.positions.push_back(kMax / 3 + drawn % 10'000); break;
    }
  }
  if (has_extremes) {
    circle.positions.front() = 0;
    circle.positions.back() = kMax;
  }
  std::sort(circle.positions.begin(), circle.positions.end());
  for (std::size_t rank = 0; rank < points; ++rank) {
    circle.owners.push_back(static_cast<MemberIndex>(rank));
  }
  return circle;
}

// Both ends, each point and its neighbours, and positions anywhere.
template <class Position>
std::vector<Position> questions_about(const Circle<Position>& circle, std::uint64_t seed) {
  std::vector<Position> asked{0, 1, std::numeric_limits<Position>::max()};
  UniformNumbers numbers(seed);
  for (const Position position : circle.positions) {
    asked.push_back(position);
    asked.push_back(position - 1);  // around the end where there is none
    asked.push_back(position + 1);
    asked.push_back(static_cast<Position>(numbers.next()));
  }
  return asked;
}

template <class Table>
void check_answers(const Circle<typename Table::PositionType>& circle,
                   const std::vector<typename Table::PositionType>& asked) {
  const Table table(circle.list());
  std::vector<MemberIndex> expected;
  std::vector<MemberIndex> one_by_one;
  for (const auto position : asked) {
    expected.push_back(circle.owner_at(position));
    one_by_one.push_back(table.owner_at(position));
  }
  std::vector<MemberIndex> batched(asked.size(), MemberIndex{0xffff});
  table.owners_at(asked, batched);

  RC_ASSERT(one_by_one == expected);
  RC_ASSERT(batched == expected);
  RC_ASSERT(table.size() == circle.positions.size());
  RC_ASSERT(table.bytes() >= circle.positions.size() * (sizeof(asked[0]) + sizeof(MemberIndex)));
}

template <class Position>
void check_all_layouts() {
  const auto points = *rc::gen::oneOf(rc::gen::inRange<std::size_t>(1, 40), rc::gen::inRange<std::size_t>(1, 4'000));
  const auto spread = *rc::gen::element(Spread::uniform, Spread::uniform, Spread::few_positions, Spread::one_corner);
  const auto has_extremes = *rc::gen::arbitrary<bool>();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Circle<Position> circle = circle_of<Position>(points, spread, has_extremes, seed);
  const std::vector<Position> asked = questions_about(circle, seed + 1);

  check_answers<LowerBoundTable<Position>>(circle, asked);
  check_answers<BranchFreeTable<Position>>(circle, asked);
  check_answers<EytzingerTable<Position>>(circle, asked);
  check_answers<LineTable<Position>>(circle, asked);
}

RC_GTEST_PROP(PointTables, all_layouts_answer_like_lower_bound_with_wrap_for_32_bit_positions, ()) {
  check_all_layouts<std::uint32_t>();
}
RC_GTEST_PROP(PointTables, all_layouts_answer_like_lower_bound_with_wrap_for_64_bit_positions, ()) {
  check_all_layouts<std::uint64_t>();
}

// From 65,536 lines on the 16 bits of a line distinguish 32-bit positions, so that nothing is left to bisection; and a
// table of this size is read through prefetches.
TEST(LineTable, a_large_table_answers_alike_although_it_decides_by_16_bits_alone) {
  const Circle<std::uint32_t> circle = circle_of<std::uint32_t>(500'000, Spread::uniform, true, 1);
  const LineTable<std::uint32_t> table(circle.list());
  const std::vector<std::uint32_t> asked = questions_about(circle, 2);

  std::vector<MemberIndex> batched(asked.size());
  table.owners_at(asked, batched);
  std::size_t wrong = 0;
  for (std::size_t index = 0; index < asked.size(); ++index) {
    const MemberIndex expected = circle.owner_at(asked[index]);
    wrong += table.owner_at(asked[index]) != expected || batched[index] != expected ? 1U : 0U;
  }

  EXPECT_EQ(wrong, 0U);
  EXPECT_LT(table.bytes(), 500'000U * 35 / 2);
}

TEST(LineTable, both_ways_to_compare_a_line_count_alike) {
  UniformNumbers numbers(3);
  for (int round = 0; round < 10'000; ++round) {
    alignas(64) std::array<std::int16_t, 16> line;
    for (std::int16_t& number : line) {
      // Few values, so that equal ones are common; the extremes among them.
      constexpr std::array<std::int16_t, 5> kValues{-32'768, -1, 0, 77, 32'767};
      number = kValues[numbers.next() % kValues.size()];
    }
    std::sort(line.begin(), line.end());
    const std::int16_t asked = line[numbers.next() % line.size()];

    ASSERT_EQ(BestCompare::below<16>(line.data(), asked), PlainCompare::below<16>(line.data(), asked));
    ASSERT_EQ(BestCompare::below<8>(line.data(), asked), PlainCompare::below<8>(line.data(), asked));
  }
}

RC_GTEST_PROP(PreferenceTable, packed_lists_are_those_of_the_walk, ()) {
  const auto members = *rc::gen::inRange<std::size_t>(1, 9);
  const auto racks = *rc::gen::inRange<std::size_t>(1, 5);
  const auto position_bits = *rc::gen::element<std::uint32_t>(4, 10, 32);
  const auto virtual_nodes = *rc::gen::inRange<std::uint32_t>(1, 200);
  Ring ring({.parameters = {.virtual_nodes = virtual_nodes, .position_bits = position_bits}});
  for (std::size_t number = 0; number < members; ++number) {
    const std::string rack = number % racks == 0 ? "" : std::to_string(number % racks);
    RC_ASSERT(ring.add({.name = "m" + std::to_string(number), .rack = rack}).has_value());
  }

  const PreferenceTable packed = ring.table()->pack_preferences();

  RC_ASSERT(packed.size() == std::min(kPackedPreferences, members));
  UniformNumbers numbers(members);
  std::vector<std::uint32_t> asked;
  for (int question = 0; question < 500; ++question) {
    asked.push_back(static_cast<std::uint32_t>(numbers.next() >> (64 - position_bits)));
  }
  std::vector<PreferencesOfThree> batched(asked.size());
  packed.at(asked, batched);
  for (std::size_t index = 0; index < asked.size(); ++index) {
    PreferencesOfThree walked{};
    RC_ASSERT(ring.table()->preference_list_at(asked[index], walked) == packed.size());
    RC_ASSERT(packed.at(asked[index]) == walked);
    RC_ASSERT(batched[index] == walked);
  }
}

}  // namespace
}  // namespace shardcheck::impl
