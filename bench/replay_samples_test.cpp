#include "bench/replay_samples.h"

#include <gtest/gtest.h>

#include <set>

namespace shardcheck::bench {
namespace {

TEST(ReplaySamples, the_log_that_fills_has_each_key_once) {
  const ReplayLog log = ReplayLog::that_fills(1'000);

  std::set<std::string_view> keys;
  for (const impl::VersionedEntry& entry : log.entries()) {
    keys.insert(entry.key);
    EXPECT_GE(entry.key.size(), 16);
    EXPECT_LE(entry.key.size(), 32);
    EXPECT_EQ(entry.value_bytes(), 100);
  }
  EXPECT_EQ(keys.size(), 1'000);
}

TEST(ReplaySamples, all_but_one_in_sixteen_changes_take_effect_in_each_pass) {
  MapStore store;
  for (const ReplayLog fill = ReplayLog::that_fills(16'000); const impl::VersionedEntry& entry : fill.entries()) {
    ASSERT_TRUE(store.apply(entry));
  }
  ReplayLog log = ReplayLog::of_changes(16'000);

  for (std::uint64_t pass = 2; pass < 4; ++pass) {
    log.stamp(pass);
    int took_effect = 0;
    for (const impl::VersionedEntry& entry : log.entries()) {
      took_effect += store.apply(entry) ? 1 : 0;
    }
    EXPECT_NEAR(took_effect, 15'000, 200) << "pass " << pass;
  }
}

}  // namespace
}  // namespace shardcheck::bench
