#include "harness/adapters/placement_protocol.h"

#include <gtest/gtest.h>

#include <sstream>

#include "harness/adapters/placement_server.h"
#include "impl/placement/ring.h"

namespace shardcheck {
namespace {

std::string served(const std::string& lines) {
  std::istringstream in(lines);
  std::ostringstream out;
  EXPECT_EQ(serve_placement(impl::ring_factory(), in, out), 0);
  return out.str();
}

TEST(PlacementProtocol, a_conversation_with_the_ring) {
  EXPECT_EQ(served("hello 1\n"
                   "reset 100 32\n"
                   "add A 1 -\nadd B 1 r%201\nadd C 1 -\nadd D 1 -\n"
                   "owner user:42\n"
                   "owners user:0 user:1 user:2\n"
                   "add E 1 -\n"
                   "list 3 user:42\n"
                   "remove B\n"
                   "list 3 user:42\n"
                   "list 9 user:42\n"),
            "ok determinism=exactly movement=exactly movement_share=bound balance=bound weights=yes racks=yes "
            "lists=yes points=V golden=ring-md5-be32 circle=4294967295\n"
            "ok circle=4294967295\n"
            "ok\nok\nok\nok\n"
            "ok B\n"
            "ok B A C\n"
            "ok\n"
            "ok B E A\n"
            "ok\n"
            "ok E A D\n"
            "error 9 replicas asked of 4 members\n");
}

TEST(PlacementProtocol, points_and_positions_of_a_small_circle) {
  EXPECT_EQ(served("reset 2 8\nadd A 1 -\npoints\nposition user:42\nowners_at 0 255\nowners_at 256\n"),
            "ok circle=255\nok\nok 156:A 248:A\nok 86\nok A A\nerror no position\n");
}

TEST(PlacementProtocol, a_server_answers_what_it_does_not_understand_with_an_error) {
  EXPECT_EQ(served("fly A\n\nadd A\nadd A x -\nadd A 1 %4\nreset 0 32\nlist many k\nowner\n"),
            "error not understood: fly A\n"
            "error an empty line\n"
            "error not understood: add A\n"
            "error no weight\n"
            "error a word with a broken %XX\n"
            "error virtual nodes in 1..100000 and position bits in 1..32\n"
            "error not understood: list many k\n"
            "error not understood: owner\n");
}

TEST(PlacementProtocol, a_hello_reads_back_what_it_says) {
  PlacementHello hello;
  hello.promises = {.movement = Promise::none, .balance = Promise::within_bound, .golden = std::string(kGoldenRing)};
  hello.has_points_as_asked = true;
  hello.abilities = {.has_weights = false, .has_racks = true, .has_lists = false};
  hello.position_max = 65'535;

  PlacementHello read;
  ASSERT_TRUE(read_hello(to_line(hello), read).has_value());

  EXPECT_EQ(to_line(read), to_line(hello));
  EXPECT_EQ(read.abilities, hello.abilities);
  EXPECT_EQ(read.promises.golden, kGoldenRing);
  EXPECT_EQ(read.promises.movement, Promise::none);
}

TEST(PlacementProtocol, a_hello_that_says_nothing_promises_determinism_and_movement) {
  PlacementHello hello;

  ASSERT_TRUE(read_hello("ok", hello).has_value());

  EXPECT_EQ(hello.promises.determinism, Promise::exactly);
  EXPECT_EQ(hello.promises.movement, Promise::exactly);
  EXPECT_EQ(hello.promises.balance, Promise::none);
  EXPECT_TRUE(hello.abilities.has_weights);
}

class BadHello : public testing::TestWithParam<const char*> {};

TEST_P(BadHello, is_an_error) {
  PlacementHello hello;
  EXPECT_FALSE(read_hello(GetParam(), hello).has_value());
}

INSTANTIATE_TEST_SUITE_P(All, BadHello,
                         testing::Values("", "okay", "error", "ok movement", "ok movement=maybe", "ok points=-1",
                                         "ok points=", "ok circle=0", "ok weights=1", "ok golden=%z",
                                         "ok golden=ring-md5-be33", "ok lists=yes lists=yes", "ok =", "ok a=b"));

}  // namespace
}  // namespace shardcheck
