#include "spec/scan_monitor.h"

#include <gtest/gtest.h>

#include "spec/key_set.h"
#include "spec/story.h"

namespace shardcheck::story {
namespace {

constexpr RequestId kScan{ClientId{2}, 1};

Value shown(std::initializer_list<std::uint32_t> keys) {
  KeySet set(Key{0});
  for (const std::uint32_t key : keys) {
    set.add(Key{key});
  }
  return set.value();
}

// Scans of [0, 16); everything else is about key 5.
class ScanStory : public Story {
 public:
  ScanStory& begin_scan() {
    tell(kRouter, Invoked{kScan, scan_of(keys(0, 16))});
    return *this;
  }
  ScanStory& end_scan(std::initializer_list<std::uint32_t> keys) {
    ok(kScan, shown(keys));
    return *this;
  }
  ScanStory& scan(std::initializer_list<std::uint32_t> keys) { return begin_scan().end_scan(keys); }
};

TEST(ScanComplete, shows_what_was_written_and_nothing_that_was_deleted) {
  ScanStory story, deleted;

  story.write(7);
  story.scan({5});
  deleted.write(7).remove();
  deleted.scan({});

  EXPECT_TRUE(accepts(story, ClauseId::S1));
  EXPECT_TRUE(accepts(deleted, ClauseId::S1));
}

TEST(ScanComplete, a_key_that_is_left_out_is_named) {
  ScanStory story;

  story.write(7);
  story.scan({});

  EXPECT_TRUE(rejects(story, ClauseId::S1, {"scan of [0, 16)", "left out key 5"}));
}

TEST(ScanComplete, a_key_that_was_deleted_or_never_written_is_not_there) {
  ScanStory deleted, never;

  deleted.write(7).remove();
  deleted.scan({5});
  never.scan({3});

  EXPECT_TRUE(rejects(deleted, ClauseId::S1, {"showed key 5", "nobody wrote"}));
  EXPECT_TRUE(rejects(never, ClauseId::S1, {"showed key 3"}));
}

TEST(ScanComplete, a_key_comes_once) {
  ScanStory story;

  story.write(7);
  story.scan({5, 5});

  EXPECT_TRUE(rejects(story, ClauseId::S1, {"showed key 5 twice"}));
}

TEST(ScanComplete, what_is_written_or_deleted_meanwhile_may_be_seen_or_not) {
  ScanStory with, without;

  for (ScanStory* story : {&with, &without}) {
    story->begin_scan().write(7);
  }
  with.end_scan({5});
  without.end_scan({});
  EXPECT_TRUE(accepts(with, ClauseId::S1));
  EXPECT_TRUE(accepts(without, ClauseId::S1));

  ScanStory kept, gone;
  for (ScanStory* story : {&kept, &gone}) {
    story->write(7);
    story->begin_scan().remove();
  }
  kept.end_scan({5});
  gone.end_scan({});
  EXPECT_TRUE(accepts(kept, ClauseId::S1));
  EXPECT_TRUE(accepts(gone, ClauseId::S1));
}

TEST(ScanComplete, an_operation_of_unknown_outcome_leaves_its_key_undecided) {
  ScanStory maybe_gone, maybe_there;

  maybe_gone.write(7).invoke(request(9), OperationKind::remove).unknown(request(9));
  maybe_gone.scan({});
  maybe_there.invoke(request(9), OperationKind::write, number(7)).unknown(request(9));
  maybe_there.scan({5});

  EXPECT_TRUE(accepts(maybe_gone, ClauseId::S1));
  EXPECT_TRUE(accepts(maybe_there, ClauseId::S1));
}

TEST(ScanComplete, a_read_at_rest_decides_it) {
  ScanStory left_out, shown_again, written_late;

  for (ScanStory* story : {&left_out, &shown_again, &written_late}) {
    story->write(7).invoke(request(9), OperationKind::remove).unknown(request(9)).heal();
  }
  left_out.read(number(7));
  left_out.scan({});
  shown_again.read(absent());
  shown_again.scan({5});
  written_late.read(number(7)).apply(kA, {Epoch{1}, LogPosition{2}}, ApplyCause::client, request(9));
  written_late.scan({});

  EXPECT_TRUE(rejects(left_out, ClauseId::S1, {"left out key 5"}));
  EXPECT_TRUE(rejects(shown_again, ClauseId::S1, {"showed key 5"}));
  EXPECT_TRUE(accepts(written_late, ClauseId::S1));
}

TEST(ScanComplete, keys_are_packed_and_come_out_again) {
  KeySet set(Key{70'000});
  set.add(Key{70'000});
  set.add(Key{70'063});
  set.add(Key{70'064});

  EXPECT_EQ(to_string(set.value()), "{70000 70063}");
  set.add(Key{70'063});
  EXPECT_EQ(to_string(set.value()), "{70000 70063 twice 70063}");
}

}  // namespace
}  // namespace shardcheck::story
