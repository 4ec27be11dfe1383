// Leases per range and per node, and what each of them costs the directory's log. One node owns eight ranges.
#include <gmock/gmock.h>

#include <algorithm>

#include "impl/directory_state.h"
#include "impl/driven.h"
#include "impl/storage_node.h"

namespace shardcheck::impl {
namespace {

constexpr NodeId kDirectory{0};
constexpr NodeId kA{1};
constexpr NodeId kB{2};
constexpr std::uint32_t kTick = 0xffff;
constexpr std::uint16_t kRanges = 8;

ClusterOptions options(LeasePer lease_per) {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 1;
  options.shards = kRanges;
  options.keys = kRanges;
  options.lease_per = lease_per;
  return options;
}

class Holder : public Driven<StorageNode> {
 public:
  explicit Holder(LeasePer lease_per)
      : Driven(StorageNode(options(lease_per), kA), initial_disk(options(lease_per), kA)) {}

  // Of this kind of message, in one round of renewals.
  template <class Kind>
  std::size_t renewals() {
    fire(kTick);
    const auto sends = take_sends();
    return static_cast<std::size_t>(
        std::ranges::count_if(sends, [](const auto& sent) { return std::holds_alternative<Kind>(sent.message); }));
  }
  Holder& renewed_until(std::int64_t ms, std::uint64_t as_of) {
    receive(kDirectory, NodeRenewed{at_ms(ms), DirectoryPosition{as_of}});
    return *this;
  }
  Holder& learn(const ShardRecord& record, std::uint64_t changed_at, std::uint64_t follows, std::uint64_t until = 0) {
    receive(kDirectory, RecordUpdate{record, DirectoryPosition{changed_at}, DirectoryPosition{follows},
                                     DirectoryPosition{until == 0 ? changed_at : until}});
    return *this;
  }
  Instant lease_of(std::uint16_t range) { return node().claim(ShardId{range})->until; }
};

// A renewal is one write of the directory's log. A store with 100,000 ranges on 100 nodes, whose leases last 10 s and
// are renewed three times in that, writes 100,000 * 3 / 10 s = 30,000 renewals a second per range, and 30 per node.
TEST(Leases, a_round_of_renewals_takes_a_write_per_range_or_one_per_node) {
  EXPECT_EQ(Holder(LeasePer::range).renewals<Renew>(), kRanges);
  EXPECT_EQ(Holder(LeasePer::range).renewals<RenewNode>(), 0U);
  EXPECT_EQ(Holder(LeasePer::node).renewals<Renew>(), 0U);
  EXPECT_EQ(Holder(LeasePer::node).renewals<RenewNode>(), 1U);
}

TEST(Leases, a_renewal_of_the_node_extends_every_grant_that_it_holds) {
  Holder holder(LeasePer::node);
  const auto records = initial_records(options(LeasePer::node));
  for (std::uint16_t i = 0; i < kRanges; ++i) {
    holder.learn(records[i], i + 1U, i);
  }

  holder.renewed_until(60, kRanges);

  EXPECT_EQ(holder.lease_of(0), at_ms(60));
  EXPECT_EQ(holder.lease_of(7), at_ms(60));
}

// A range may have been granted to another node before the renewal, and this node not know it yet.
TEST(Leases, a_renewal_of_the_node_waits_until_everything_decided_before_it_is_known) {
  Holder holder(LeasePer::node);
  const auto records = initial_records(options(LeasePer::node));
  for (std::uint16_t i = 0; i < kRanges; ++i) {
    holder.learn(records[i], i + 1U, i);
  }
  ShardRecord taken = records[0];
  taken.owner = kB;
  taken.epoch = Epoch{9};

  holder.renewed_until(60, 9);
  EXPECT_EQ(holder.lease_of(1), Instant{});
  holder.learn(taken, 9, 8);

  EXPECT_EQ(holder.lease_of(1), at_ms(60));
  EXPECT_EQ(holder.node().claim(ShardId{0}), std::nullopt);
}

// The record of range 0 was taken away at 9 and changed again at 12; the answer tells it last, after range 1's of 11.
TEST(Leases, a_renewal_of_the_node_waits_for_the_whole_answer) {
  Holder holder(LeasePer::node);
  const auto records = initial_records(options(LeasePer::node));
  for (std::uint16_t i = 0; i < kRanges; ++i) {
    holder.learn(records[i], i + 1U, i);
  }
  ShardRecord taken = records[0];
  taken.owner = kB;
  taken.epoch = Epoch{9};

  holder.renewed_until(60, 9);
  holder.learn(records[1], 11, 8, 12);
  EXPECT_EQ(holder.lease_of(0), Instant{});
  holder.learn(taken, 12, 11, 12);

  EXPECT_EQ(holder.lease_of(2), at_ms(60));
  EXPECT_EQ(holder.node().claim(ShardId{0}), std::nullopt);
}

}  // namespace
}  // namespace shardcheck::impl
