#include "cli/placement_demo.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/command_fixture.h"

namespace shardcheck::cli {
namespace {

TEST_F(Commands, placement_demo_prints_the_known_figures) {
  const CommandOutcome outcome = command({"placement", "--demo"});

  EXPECT_EQ(outcome.exit, ExitCode::held);
  EXPECT_EQ(outcome.out,
            "keys user:0 to user:9999 on a hash ring (ring-md5-be32)\n"
            "\n"
            "members A B C D, 1 virtual node each:     A=309 B=124 C=4077 D=5490\n"
            "members A B C D, 100 virtual nodes each:  A=2577 B=2466 C=2509 D=2448\n"
            "\n"
            "adding E moves 1889 keys, all of them onto E; its fair share is 2000\n"
            "adding E under hash mod N moves 7975 keys\n"
            "removing B from A B C D E moves 2239 keys; it owned 2239\n"
            "\n"
            "preference list of user:42 after adding E:               [B, E, A]\n"
            "preference list of user:42 after B has been removed too: [E, A, D]\n"
            "(The second list is sometimes told as the first. B is user:42's owner as long as it is there.)\n");
}

TEST_F(Commands, placement_demo_says_the_same_as_json) {
  const CommandOutcome outcome = command({"placement", "--demo", "--json"});

  EXPECT_EQ(outcome.exit, ExitCode::held);
  const nlohmann::json document = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(document.is_object()) << outcome.out;
  EXPECT_EQ(document["loads_with_1_virtual_node"]["D"], 5490);
  EXPECT_EQ(document["moved_by_join"], 1889);
  EXPECT_EQ(document["moved_by_modulo"], 7975);
  EXPECT_EQ(document["list_of_user_42_after_join"], (std::vector<std::string>{"B", "E", "A"}));
}

}  // namespace
}  // namespace shardcheck::cli
