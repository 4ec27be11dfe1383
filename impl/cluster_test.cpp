#include "impl/cluster.h"

#include <gtest/gtest.h>

#include "impl/directory_state.h"

namespace shardcheck::impl {
namespace {

constexpr NodeId kA{1};
constexpr NodeId kC{3};

TEST(Roles, ids_are_given_out_in_order) {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 3;
  options.routers = 2;
  const Roles roles(options);

  EXPECT_EQ(roles.directory(0), NodeId{0});
  EXPECT_EQ(roles.storage(2), NodeId{3});
  EXPECT_EQ(roles.router(0), NodeId{4});
  EXPECT_EQ(roles.mover(0), NodeId{6});
  EXPECT_EQ(roles.processes(), 7);
  EXPECT_TRUE(roles.is_storage(NodeId{3}));
  EXPECT_FALSE(roles.is_storage(NodeId{4}));
  EXPECT_TRUE(roles.is_router(NodeId{5}));
  EXPECT_FALSE(roles.is_router(NodeId{6}));
  EXPECT_EQ(roles.router_of(ClientId{3}), NodeId{5});
}

TEST(InitialRecords, tile_the_keys_and_are_dealt_out_in_turn) {
  ClusterOptions options;
  options.shards = 4;
  options.directories = 1;
  options.storage_nodes = 3;
  options.keys = 10;

  const std::vector<ShardRecord> records = initial_records(options);

  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[0].range, (KeyRange{Key{0}, Key{2}}));
  EXPECT_EQ(records[1].range, (KeyRange{Key{2}, Key{5}}));
  EXPECT_EQ(records[2].range, (KeyRange{Key{5}, Key{7}}));
  EXPECT_EQ(records[3].range, (KeyRange{Key{7}, Key{10}}));
  EXPECT_EQ(records[2].owner, kC);
  EXPECT_EQ(records[3].owner, kA);
  EXPECT_EQ(records[3].epoch, Epoch{4});
}

TEST(MakeCluster, gives_every_id_a_process_and_storage_nodes_their_disks) {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 3;
  options.routers = 2;
  options.shards = 4;

  const std::vector<Provision> cluster = make_cluster(options);

  ASSERT_EQ(cluster.size(), 7U);
  EXPECT_EQ(cluster[0].process.storage(), nullptr);
  EXPECT_TRUE(cluster[0].disk.empty());
  EXPECT_NE(cluster[3].process.storage(), nullptr);
  EXPECT_EQ(cluster[3].disk.size(), 5U);  // formatted, and what is known of each range
  EXPECT_EQ(cluster[4].process.storage(), nullptr);
}

}  // namespace
}  // namespace shardcheck::impl
