#include "sim/disk.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace shardcheck::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Three records on it, of which the first was synced.
Disk<int> one_of_three_synced() {
  Disk<int> disk;
  disk.append(1);
  disk.complete_sync(1);
  disk.append(2);
  disk.append(3);
  return disk;
}

TEST(Disk, what_it_begins_with_is_durable) {
  Disk<int> disk(std::vector<int>{1, 2});
  disk.append(3);

  disk.crash(0);

  EXPECT_THAT(disk.records(), ElementsAre(1, 2));
}

TEST(Disk, what_it_is_formatted_with_is_durable_and_all_that_there_is) {
  Disk<int> disk = one_of_three_synced();
  disk.format({7, 8});
  disk.append(9);

  disk.crash(0);

  EXPECT_THAT(disk.records(), ElementsAre(7, 8));
}

TEST(Disk, a_crash_keeps_what_was_synced_and_loses_the_rest) {
  Disk<int> disk = one_of_three_synced();

  disk.crash(0);

  EXPECT_THAT(disk.records(), ElementsAre(1));
}

TEST(Disk, a_first_part_of_what_was_not_synced_may_survive_and_is_durable_then) {
  Disk<int> disk = one_of_three_synced();

  disk.crash(1);
  disk.crash(0);

  EXPECT_THAT(disk.records(), ElementsAre(1, 2));
  EXPECT_EQ(disk.synced(), 2U);
}

TEST(Disk, no_more_survives_than_was_there) {
  Disk<int> disk = one_of_three_synced();

  disk.crash(9);

  EXPECT_THAT(disk.records(), ElementsAre(1, 2, 3));
}

// "abcd" is synced, "efgh" and "ijkl" are not.
Disk<std::string> bytes_of_which_four_are_synced() {
  Disk<std::string> disk;
  disk.append("abcd");
  disk.complete_sync(1);
  disk.append("efgh");
  disk.append("ijkl");
  return disk;
}

TEST(Disk, of_the_first_record_of_bytes_that_is_lost_a_beginning_may_survive) {
  Disk<std::string> first = bytes_of_which_four_are_synced();
  Disk<std::string> second = first;

  first.crash(0, kTornWhole / 2);
  second.crash(1, kTornWhole / 4);

  EXPECT_THAT(first.records(), ElementsAre("abcd", "ef"));
  EXPECT_EQ(first.synced(), 2U);
  EXPECT_THAT(second.records(), ElementsAre("abcd", "efgh", "i"));
}

TEST(Disk, a_torn_record_has_its_first_byte_and_never_its_last) {
  Disk<std::string> little = bytes_of_which_four_are_synced();
  Disk<std::string> much = little;

  little.crash(0, 1);
  much.crash(0, kTornWhole);

  EXPECT_THAT(little.records(), ElementsAre("abcd", "e"));
  EXPECT_THAT(much.records(), ElementsAre("abcd", "efg"));
}

TEST(Disk, nothing_is_torn_where_nothing_is_lost_or_there_is_too_little_of_it) {
  Disk<std::string> whole = bytes_of_which_four_are_synced();
  Disk<std::string> short_one;
  short_one.append("a");

  whole.crash(2, kTornWhole / 2);
  short_one.crash(0, kTornWhole / 2);

  EXPECT_THAT(whole.records(), ElementsAre("abcd", "efgh", "ijkl"));
  EXPECT_THAT(short_one.records(), IsEmpty());
}

TEST(Disk, a_typed_record_that_is_torn_is_one_that_was_not_kept) {
  Disk<int> disk = one_of_three_synced();

  disk.crash(1, kTornWhole / 2);

  EXPECT_THAT(disk.records(), ElementsAre(1, 2));
}

TEST(Disk, a_sync_that_completes_late_takes_nothing_back) {
  Disk<int> disk = one_of_three_synced();

  disk.complete_sync(3);
  disk.complete_sync(2);

  EXPECT_EQ(disk.synced(), 3U);
}

TEST(Disk, a_lost_disk_is_empty) {
  Disk<int> disk = one_of_three_synced();

  disk.lose_everything();

  EXPECT_THAT(disk.records(), IsEmpty());
  EXPECT_EQ(disk.synced(), 0U);
}

}  // namespace
}  // namespace shardcheck::sim
