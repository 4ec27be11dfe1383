#include "sim/choices.h"

#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "sim/digest.h"

namespace shardcheck::sim {
namespace {

using testing::ElementsAre;

constexpr Label kFirst{1, 0, 0};
constexpr Label kSecond{1, 0, 1};
constexpr Label kOther{2, 7, 0};

TEST(Digest, mixes_as_splitmix64_does) {
  EXPECT_EQ(mix(0), 0xe220a8397b1dcdafU);  // the first output of the published generator for seed 0
}

TEST(Digest, depends_on_the_order) {
  Digest one;
  one.add(1);
  one.add(2);
  Digest other;
  other.add(2);
  other.add(1);

  EXPECT_NE(one.value(), other.value());
}

TEST(SeededChoices, answers_do_not_depend_on_the_order_of_the_questions) {
  SeededChoices forwards(7);
  const std::uint64_t first = forwards.below(1'000'000, kFirst);
  const std::uint64_t second = forwards.below(1'000'000, kSecond);

  SeededChoices backwards(7);

  EXPECT_EQ(backwards.below(1'000'000, kSecond), second);
  EXPECT_EQ(backwards.below(1'000'000, kFirst), first);
}

TEST(SeededChoices, every_part_of_the_label_and_the_seed_matter) {
  SeededChoices choices(7);
  SeededChoices other_seed(8);
  const std::uint64_t answer = choices.below(UINT64_MAX, Label{1, 2, 3});

  EXPECT_NE(choices.below(UINT64_MAX, Label{2, 2, 3}), answer);
  EXPECT_NE(choices.below(UINT64_MAX, Label{1, 3, 3}), answer);
  EXPECT_NE(choices.below(UINT64_MAX, Label{1, 2, 4}), answer);
  EXPECT_NE(other_seed.below(UINT64_MAX, Label{1, 2, 3}), answer);
}

TEST(SeededChoices, every_answer_below_n_is_given_and_no_other) {
  SeededChoices choices(7);
  std::array<int, 5> given{};

  for (std::uint32_t i = 0; i < 1'000; ++i) {
    const std::uint64_t answer = choices.below(5, Label{1, 0, i});
    ASSERT_LT(answer, 5U);
    ++given[answer];
  }

  EXPECT_THAT(given, testing::Each(testing::AllOf(testing::Gt(150), testing::Lt(250))));
}

TEST(ByteChoices, takes_one_byte_for_a_small_question_and_two_for_a_larger_one) {
  const std::vector<std::uint8_t> bytes{3, 1, 2, 9};
  ByteChoices choices(bytes);

  EXPECT_EQ(choices.below(256, kFirst), 3U);
  EXPECT_EQ(choices.below(1'000, kSecond), 258U);
  EXPECT_EQ(choices.below(4, kOther), 1U);
}

TEST(ByteChoices, a_question_with_one_answer_takes_no_byte) {
  const std::vector<std::uint8_t> bytes{3};
  ByteChoices choices(bytes);

  EXPECT_EQ(choices.below(1, kFirst), 0U);
  EXPECT_FALSE(choices.is_exhausted());
  EXPECT_EQ(choices.below(10, kSecond), 3U);
}

TEST(ByteChoices, answers_0_when_the_bytes_have_run_out) {
  const std::vector<std::uint8_t> bytes{3};
  ByteChoices choices(bytes);
  choices.below(10, kFirst);

  EXPECT_TRUE(choices.is_exhausted());
  EXPECT_EQ(choices.below(10, kSecond), 0U);
}

TEST(RecordedChoices, answers_what_is_on_the_tape_and_0_to_every_other_label) {
  const Tape tape{{kFirst, 4}, {kOther, 2}};
  RecordedChoices choices(tape);

  EXPECT_EQ(choices.below(10, kOther), 2U);
  EXPECT_EQ(choices.below(10, kSecond), 0U);
  EXPECT_EQ(choices.below(10, kFirst), 4U);
}

TEST(RecordedChoices, an_answer_out_of_range_is_0) {
  const Tape tape{{kFirst, 4}, {kSecond, 4}};
  RecordedChoices choices(tape);

  EXPECT_EQ(choices.below(4, kFirst), 0U);
  EXPECT_EQ(choices.below(5, kSecond), 4U);
}

TEST(RecordedChoices, is_exhausted_once_every_entry_was_asked_for) {
  const Tape tape{{kFirst, 4}, {kOther, 2}};
  RecordedChoices choices(tape);

  choices.below(10, kFirst);
  EXPECT_FALSE(choices.is_exhausted());
  choices.below(10, kOther);
  EXPECT_TRUE(choices.is_exhausted());
}

TEST(TapeRecorder, writes_down_the_answers_that_are_not_0_sorted_by_label) {
  const std::vector<std::uint8_t> bytes{5, 0, 6};
  ByteChoices source(bytes);
  TapeRecorder recorder(source);

  recorder.below(10, kOther);
  recorder.below(10, kSecond);
  recorder.below(10, kFirst);

  EXPECT_THAT(recorder.take_tape(), ElementsAre(TapeEntry{kFirst, 6}, TapeEntry{kOther, 5}));
}

TEST(TapeRecorder, what_it_wrote_down_replays_identically) {
  SeededChoices source(11);
  TapeRecorder recorder(source);
  std::vector<std::uint64_t> answers;
  for (std::uint32_t i = 0; i < 200; ++i) {
    answers.push_back(recorder.below(3, Label{1, 0, i}));
  }
  const Tape tape = recorder.take_tape();

  RecordedChoices replayed(tape);
  std::vector<std::uint64_t> again;
  for (std::uint32_t i = 0; i < 200; ++i) {
    again.push_back(replayed.below(3, Label{1, 0, i}));
  }

  EXPECT_EQ(again, answers);
  EXPECT_TRUE(replayed.is_exhausted());
}

TEST(OverriddenChoices, an_override_replaces_the_answer_to_its_question_only) {
  SeededChoices base(7);
  SeededChoices same(7);
  OverriddenChoices choices(base, {{.kind = 3, .counter = 5, .answer = 42}});

  EXPECT_EQ(choices.below(100, {3, 0, 5}), 42);
  EXPECT_EQ(choices.below(1'000'000, {3, 0, 4}), same.below(1'000'000, {3, 0, 4}));
  EXPECT_EQ(choices.below(1'000'000, {2, 0, 5}), same.below(1'000'000, {2, 0, 5}));
}

TEST(OverriddenChoices, an_answer_too_large_for_its_question_wraps) {
  SeededChoices base(7);
  OverriddenChoices choices(base, {{.kind = 3, .counter = 5, .answer = 42}});

  EXPECT_EQ(choices.below(40, {3, 9, 5}), 2);
}

TEST(OverriddenChoices, of_two_overrides_of_one_question_the_first_counts) {
  SeededChoices base(7);
  OverriddenChoices choices(base, {{3, 6, 1}, {3, 5, 8}, {3, 5, 9}});

  EXPECT_EQ(choices.below(10, {3, 0, 5}), 8);
  EXPECT_EQ(choices.below(10, {3, 0, 6}), 1);
}

}  // namespace
}  // namespace shardcheck::sim
