#include "sim/disk.h"

#include <gmock/gmock.h>

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
