#include "histories/picture_bands.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shardcheck::histories {
namespace {

// One event every ten nanoseconds; each band as "what from-until", an open one without an end.
std::vector<std::string> bands(const std::vector<std::string>& events) {
  HistoryBuilder builder;
  std::int64_t time = 0;
  for (const std::string& event : events) {
    builder.nemesis(TrueTime{time += 10}, event);
  }
  std::vector<std::string> shown;
  for (const NemesisBand& band : bands_of(builder.history())) {
    shown.push_back(builder.history().nemesis[band.event].what + " " + std::to_string(band.from.value) + "-" +
                    (band.until ? std::to_string(band.until->value) : ""));
  }
  return shown;
}

using Texts = std::vector<std::string>;

TEST(PictureBands, a_fault_lasts_until_what_ends_it) {
  EXPECT_EQ(bands({"kill 0", "restart 0"}), (Texts{"kill 0 10-20"}));
  EXPECT_EQ(bands({"partition {'n0': 0}", "heal", "Partition x", "heal"}),
            (Texts{"partition {'n0': 0} 10-20", "Partition x 30-40"}));
  EXPECT_EQ(bands({"pause n1", "resume n1"}), (Texts{"pause n1 10-20"}));
}

TEST(PictureBands, a_move_lasts_until_it_is_done_or_has_failed) {
  EXPECT_EQ(bands({"move 3300 1 -> 0", "moved", "move 3300 0 -> 1", "move failed ERR"}),
            (Texts{"move 3300 1 -> 0 10-20", "move 3300 0 -> 1 30-40"}));
}

TEST(PictureBands, an_end_about_one_of_several_ends_that_one) {
  EXPECT_EQ(bands({"kill 0", "kill 1", "restart 0", "restart 1"}), (Texts{"kill 0 10-30", "kill 1 20-40"}));
  EXPECT_EQ(bands({"kill 0", "kill 1", "restart all"}), (Texts{"kill 0 10-30", "kill 1 20-30"}));
}

TEST(PictureBands, what_nothing_ends_stays_open) { EXPECT_EQ(bands({"kill 0"}), (Texts{"kill 0 10-"})); }

TEST(PictureBands, what_is_not_known_is_a_moment) {
  EXPECT_EQ(bands({"rebalance", "moved", "move failed", "kills"}),
            (Texts{"rebalance 10-10", "moved 20-20", "move failed 30-30", "kills 40-40"}));
}

TEST(PictureBands, an_event_told_twice_is_asked_for_and_then_done) {
  EXPECT_EQ(bands({"kill", "kill", "start", "start", "join", "join"}), (Texts{"kill 10-40", "join 50-60"}));
  EXPECT_EQ(bands({"start-partition", "start-partition", "stop-partition", "stop-partition"}),
            (Texts{"start-partition 10-40"}));
  EXPECT_EQ(bands({"start", "start", "stop", "stop"}), (Texts{"start 10-40"}));
}

TEST(PictureBands, an_event_without_a_time_has_that_of_the_operation_before) {
  HistoryBuilder builder;
  ValueTable& values = builder.values();
  builder.invoke(TrueTime{100}, {.process = values.number(0), .key = values.number(1)});
  builder.nemesis(TrueTime{150}, "kill");
  History history = builder.history();
  history.nemesis[0].at.reset();

  EXPECT_EQ(bands_of(history).at(0).from, TrueTime{100});
}

TEST(PictureBands, those_nearest_to_the_operations_are_chosen) {
  HistoryBuilder builder;
  ValueTable& values = builder.values();
  for (int i = 0; i < 10; ++i) {
    builder.nemesis(TrueTime{100 * i}, "event " + std::to_string(i));
    builder.ok(TrueTime{100 * i + 50},
               builder.invoke(TrueTime{100 * i + 50}, {.process = values.number(0), .key = values.number(1)}));
  }
  const std::vector<NemesisBand> all = bands_of(builder.history());

  EXPECT_EQ(nearest_bands(builder.history(), all, {6}, 2), (std::vector<std::uint32_t>{6, 7}));
  EXPECT_EQ(nearest_bands(builder.history(), all, {}, 2), (std::vector<std::uint32_t>{0, 5}));
}

}  // namespace
}  // namespace shardcheck::histories
