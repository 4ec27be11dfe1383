// The reference itself: every question on which safety hangs has the safe answer. What the wrong ones do is shown by
// the clauses that they violate.
#include "impl/decisions.h"

#include <gtest/gtest.h>

namespace shardcheck::impl {
namespace {

constexpr Decisions kReference;
constexpr Instant at_ms(std::int64_t ms) { return Instant{ms * 1'000'000}; }
constexpr Version version(std::uint64_t epoch, std::uint64_t position) { return {Epoch{epoch}, LogPosition{position}}; }

TEST(Decisions, the_directory_compares_before_it_changes_anything) {
  EXPECT_TRUE(kReference.compares_before_commit());
  EXPECT_FALSE(kReference.may_begin_second_move());
}

TEST(Decisions, the_directory_waits_for_a_majority_and_forgets_nothing) {
  EXPECT_EQ(kReference.acknowledgements_needed(1), 1);
  EXPECT_EQ(kReference.acknowledgements_needed(3), 2);
  EXPECT_EQ(kReference.acknowledgements_needed(5), 3);
  EXPECT_TRUE(kReference.waits_for_majority());
  EXPECT_TRUE(kReference.refuses_older_reports());
  EXPECT_TRUE(kReference.catches_up_on_missed_changes());
  EXPECT_TRUE(kReference.keeps_leases_on_failover());
}

TEST(Decisions, a_lease_is_trusted_for_what_was_promised_and_asked_about_at_the_effect) {
  EXPECT_EQ(kReference.trusted_until(at_ms(60), at_ms(20), milliseconds(60)), at_ms(60));
  EXPECT_TRUE(kReference.checks_lease_at_effect());
  EXPECT_TRUE(kReference.gives_up_lease_at_handover());
  EXPECT_FALSE(kReference.trusts_lease_found_on_disk());
}

TEST(Decisions, an_epoch_below_the_highest_seen_is_stale_and_epochs_are_kept) {
  EXPECT_TRUE(kReference.compares_epochs());
  EXPECT_TRUE(kReference.is_stale(Epoch{6}, Epoch{7}));
  EXPECT_FALSE(kReference.is_stale(Epoch{7}, Epoch{7}));
  EXPECT_FALSE(kReference.is_stale(Epoch{8}, Epoch{7}));
  EXPECT_TRUE(kReference.keeps_epochs_on_disk());
}

TEST(Decisions, a_dual_write_is_safe_when_the_targets_disk_has_it) {
  EXPECT_TRUE(kReference.installs_capture(true));
  EXPECT_TRUE(kReference.waits_for_staging());
  EXPECT_TRUE(kReference.stages_before_it_says_so());
  EXPECT_FALSE(kReference.applies_before_covered());
  EXPECT_FALSE(kReference.trusts_dual_writes());
  EXPECT_FALSE(kReference.answers_forwarded_at_once());
}

TEST(Decisions, a_source_stops_and_drains_before_the_barrier) {
  EXPECT_TRUE(kReference.stops_admission_when_asked());
  EXPECT_TRUE(kReference.drains_before_barrier());
  EXPECT_FALSE(kReference.resumes_when_fence_expires());
  EXPECT_FALSE(kReference.reads_from_retained_copy());
}

TEST(Decisions, a_copy_has_everything_and_a_newer_version_wins) {
  EXPECT_EQ(kReference.replay_after(LogPosition{5}), LogPosition{5});
  EXPECT_TRUE(kReference.copies_tombstones());
  EXPECT_TRUE(kReference.copies_answered_requests());
  EXPECT_TRUE(kReference.replaces(version(1, 5), version(1, 4), ApplyCause::backfill));
  EXPECT_FALSE(kReference.replaces(version(1, 4), version(1, 5), ApplyCause::backfill));
  EXPECT_FALSE(kReference.replaces(version(1, 5), version(1, 5), ApplyCause::replay));
  EXPECT_TRUE(kReference.replaces(version(2, 1), version(1, 9), ApplyCause::replay));
}

TEST(Decisions, a_switch_needs_the_barrier_replayed_and_equal_contents) {
  const ContentDigest content{.values = 1, .tombstones = 2, .requests = 3, .source_epoch = Epoch{1}};
  const auto differs = [&](auto change) {
    ContentDigest target = content;
    change(target);
    return !kReference.may_switch(LogPosition{9}, LogPosition{9}, content, target);
  };

  EXPECT_TRUE(kReference.may_switch(LogPosition{9}, LogPosition{9}, content, content));
  EXPECT_FALSE(kReference.may_switch(LogPosition{8}, LogPosition{9}, content, content));
  EXPECT_TRUE(differs([](ContentDigest& it) { it.values = 0; }));
  EXPECT_TRUE(differs([](ContentDigest& it) { it.tombstones = 0; }));
  EXPECT_TRUE(differs([](ContentDigest& it) { it.requests = 0; }));
  EXPECT_TRUE(differs([](ContentDigest& it) { it.source_epoch = Epoch{2}; }));
  EXPECT_FALSE(kReference.serves_when_copied());
}

TEST(Decisions, a_source_is_cleaned_after_cutover_and_retention_within_its_bounds) {
  EXPECT_TRUE(kReference.may_clean_up(true, true));
  EXPECT_FALSE(kReference.may_clean_up(true, false));
  EXPECT_FALSE(kReference.may_clean_up(false, true));
  EXPECT_FALSE(kReference.cleans_up_when_copied());
  EXPECT_EQ(kReference.keys_to_erase({Key{2}, Key{5}}), (KeyRange{Key{2}, Key{5}}));
}

TEST(Decisions, a_router_learns_and_a_retry_keeps_its_id) {
  EXPECT_TRUE(kReference.learns_from_answers());
  EXPECT_EQ(kReference.id_of_retry({ClientId{1}, 5}, 3), (RequestId{ClientId{1}, 5}));
}

}  // namespace
}  // namespace shardcheck::impl
