#include "sim/network.h"

#include <gtest/gtest.h>

namespace shardcheck::sim {
namespace {

constexpr NodeId kA{0};
constexpr NodeId kB{1};
constexpr std::uint8_t kPing = 0;
constexpr std::uint8_t kPong = 1;
constexpr TrueTime at_us(std::int64_t us) { return TrueTime{us * 1'000}; }

// Two processes and two kinds of messages; 500 microseconds from one to the other, a microsecond for 100 bytes.
Network usual_network(std::uint8_t variety = 0) {
  Network network;
  network.reset({.delay = microseconds(500), .variety = variety, .bytes_per_second = 100'000'000}, 2, 2);
  return network;
}

TEST(Network, anchors_count_each_kind_on_each_link_by_itself) {
  Network network = usual_network();
  network.count(kPing, kA, kB);

  EXPECT_EQ(network.count(kPing, kA, kB), (Anchor{kPing, kA, kB, 1}));
  EXPECT_EQ(network.count(kPong, kA, kB), (Anchor{kPong, kA, kB, 0}));
  EXPECT_EQ(network.count(kPing, kB, kA), (Anchor{kPing, kB, kA, 0}));
}

TEST(Network, a_message_travels_for_the_delay_and_its_bytes) {
  Network network = usual_network();

  EXPECT_EQ(network.arrival(kA, kB, 100, at_us(10)), at_us(511));
}

TEST(Network, a_link_serves_one_message_at_a_time_in_order) {
  Network network = usual_network();

  EXPECT_EQ(network.arrival(kA, kB, 1'000, at_us(0)), at_us(510));
  EXPECT_EQ(network.arrival(kA, kB, 100, at_us(0)), at_us(511));
  EXPECT_EQ(network.arrival(kA, kB, 100, at_us(5)), at_us(512));
  EXPECT_EQ(network.arrival(kB, kA, 100, at_us(5)), at_us(506));
}

TEST(Network, a_process_hears_itself_without_delay) {
  Network network = usual_network();

  EXPECT_EQ(network.arrival(kA, kA, 1'000, at_us(10)), at_us(10));
}

TEST(Network, variety_gives_each_link_a_delay_of_its_own_below_twice_the_usual_one) {
  Network network = usual_network(1);

  EXPECT_EQ(network.arrival(kA, kB, 0, at_us(0)), TrueTime{875'000});
  EXPECT_EQ(network.arrival(kB, kA, 0, at_us(0)), TrueTime{750'000});
}

TEST(Network, a_cut_is_one_way_and_ends_by_itself) {
  Network network = usual_network();

  network.cut(kA, kB, at_us(100));

  EXPECT_TRUE(network.is_cut(kA, kB, at_us(99)));
  EXPECT_FALSE(network.is_cut(kA, kB, at_us(100)));
  EXPECT_FALSE(network.is_cut(kB, kA, at_us(50)));
}

TEST(Network, a_shorter_cut_does_not_end_a_longer_one) {
  Network network = usual_network();

  network.cut(kA, kB, at_us(100));
  network.cut(kA, kB, at_us(50));

  EXPECT_TRUE(network.is_cut(kA, kB, at_us(60)));
}

TEST(Network, heal_ends_every_cut) {
  Network network = usual_network();
  network.cut(kA, kB, at_us(100));
  network.cut(kB, kA, at_us(100));

  network.heal();

  EXPECT_FALSE(network.is_cut(kA, kB, at_us(50)));
  EXPECT_FALSE(network.is_cut(kB, kA, at_us(50)));
}

}  // namespace
}  // namespace shardcheck::sim
