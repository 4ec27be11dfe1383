// Every scheme of the reference under the laws that it promises: by RapidCheck, and by a campaign of random histories
// of membership, SHARDCHECK_PLACEMENT_HISTORIES of them for each scheme (a few hundred by default, a million a night).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>

#include "harness/placement_check.h"
#include "harness/placement_draw.h"
#include "impl/placement/fixed_log2.h"
#include "impl/placement/jump.h"
#include "impl/placement/schemes.h"
#include "spec/placement_laws.h"

namespace shardcheck {
namespace {

using Tape = std::vector<std::uint8_t>;

class SchemeProperty : public testing::TestWithParam<std::string> {
 protected:
  PlacementFactory factory() const { return impl::scheme_by_name(GetParam()).value(); }
};

TEST_P(SchemeProperty, no_law_is_violated_by_what_rapidcheck_draws) {
  const PlacementFactory scheme = factory();
  std::uint64_t checks = 0;

  const bool holds = rc::check(GetParam(), [&] {
    const Tape tape = *rc::gen::container<Tape>(96, rc::gen::arbitrary<std::uint8_t>());
    const PlacementCase input = draw_placement_case(tape_draws(tape));
    for (const ClauseId clause_id : placement_clauses()) {
      const LawResult result = check_law(clause_id, scheme, input);
      checks += result.checks;
      if (result.violation) {
        RC_FAIL(result.violation->message + "\n" + to_text(input));
      }
    }
  });

  EXPECT_TRUE(holds);
  EXPECT_GT(checks, 1'000U);
}

std::uint64_t histories_wanted() {
  const char* text = std::getenv("SHARDCHECK_PLACEMENT_HISTORIES");
  return text == nullptr ? 300 : std::strtoull(text, nullptr, 10);
}

TEST_P(SchemeProperty, no_law_is_violated_by_random_histories) {
  const std::uint64_t histories = histories_wanted();
  ASSERT_GE(histories, 1U) << "SHARDCHECK_PLACEMENT_HISTORIES is no number of histories";

  const PlacementReport report = check_placement(factory(), 20'261'130, histories);

  for (const PlacementRow& row : report.rows) {
    const bool is_violated = row.finding.has_value();
    EXPECT_FALSE(is_violated) << (is_violated ? row.finding->violation.message + "\n" + to_text(row.finding->smallest)
                                              : "");
    const bool is_of_all = row.clause != ClauseId::P7 && row.clause != ClauseId::P8 && row.clause != ClauseId::P9;
    if (is_of_all && row.promise != Promise::none) {
      EXPECT_GT(row.checks, 0U) << clause(row.clause).text_id;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SchemeProperty,
                         testing::Values("ring", "rendezvous", "multi_probe", "jump", "maglev", "bounded_loads",
                                         "ranges", "partitions", "modulo"),
                         [](const auto& parameter) { return parameter.param; });

// What a scheme does not promise it would not keep: judged as if it did, the law refuses it. So no level is stated
// lower than need be, and each law is seen to reject at that level.
struct Refusal {
  std::string placement;
  ClauseId clause;
  std::string_view message_part;
};

class SchemeRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(SchemeRefusal, of_a_promise_that_the_scheme_does_not_make) {
  const PlacementFactory held = placement_by_name(GetParam().placement).value();
  std::optional<Violation> violation;
  for (std::uint64_t seed = 1; seed <= 400 && !violation; ++seed) {
    violation = check_law(GetParam().clause, held, draw_placement_case(seeded_draws(seed))).violation;
  }

  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->clause, GetParam().clause);
  EXPECT_THAT(violation->message, testing::HasSubstr(GetParam().message_part));
}

INSTANTIATE_TEST_SUITE_P(
    All, SchemeRefusal,
    testing::Values(Refusal{"modulo+exactly_P3", ClauseId::P3, "neither of which it is about"},
                    Refusal{"modulo+exactly_P4", ClauseId::P4, "the change of its share allows"},
                    Refusal{"jump+exactly_P1", ClauseId::P1, "belongs to"},
                    Refusal{"jump+exactly_P3", ClauseId::P3, "neither of which it is about"},
                    Refusal{"maglev+exactly_P3", ClauseId::P3, "neither of which it is about"},
                    Refusal{"bounded_loads+exactly_P3", ClauseId::P3, "neither of which it is about"},
                    Refusal{"bounded_loads+exactly_P5", ClauseId::P5, "its weight gives"},
                    Refusal{"ring+exactly_P5", ClauseId::P5, "its weight gives"},
                    Refusal{"ring+exactly_P4", ClauseId::P4, "the change of its share allows"},
                    Refusal{"partitions+exactly_P1", ClauseId::P1, "once by the history of the case"},
                    Refusal{"ranges+exactly_P1", ClauseId::P1, "once by the history of the case"},
                    Refusal{"ranges+exactly_P5", ClauseId::P5, "its weight gives"}),
    [](const auto& parameter) {
      std::string name = parameter.param.placement;
      name[name.find('+')] = '_';
      return name;
    });

TEST(Jump, whole_numbers_give_what_the_paper_computes_in_floating_point) {
  const auto by_the_paper = [](std::uint64_t key, std::int32_t buckets) {
    std::int64_t bucket = -1;
    std::int64_t next = 0;
    while (next < buckets) {
      bucket = next;
      key = key * 2862933555777941757ULL + 1;
      next = static_cast<std::int64_t>(static_cast<double>(bucket + 1) *
                                       (static_cast<double>(1LL << 31) / static_cast<double>((key >> 33) + 1)));
    }
    return static_cast<std::uint32_t>(bucket);
  };

  for (std::uint64_t number = 0; number < 100'000; ++number) {
    const std::uint64_t key = impl::mix(number);
    const std::int32_t buckets = static_cast<std::int32_t>(1 + number % 5'000);
    ASSERT_EQ(impl::jump_bucket(key, static_cast<std::uint32_t>(buckets)), by_the_paper(key, buckets)) << key;
  }
}

TEST(Rendezvous, logarithm_in_whole_numbers_is_that_of_the_library) {
  for (std::uint64_t number = 0; number < 100'000; ++number) {
    const std::uint64_t hash = impl::mix(number) >> (number % 64);
    const double expected = 64 - std::log2(static_cast<double>(hash) + 1);
    ASSERT_NEAR(std::ldexp(static_cast<double>(impl::negative_log2(hash)), -impl::kLog2FractionBits), expected, 1e-13)
        << hash;
  }
  EXPECT_EQ(impl::negative_log2(0), std::uint64_t{64} << impl::kLog2FractionBits);
  EXPECT_EQ(impl::negative_log2(~std::uint64_t{0}), 0U);
}

}  // namespace
}  // namespace shardcheck
