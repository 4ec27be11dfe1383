#include "cli/placement_demo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "impl/placement/ring.h"
#include "spec/assert.h"

namespace shardcheck::cli {
namespace {

constexpr std::uint64_t kKeys = 10'000;
constexpr std::uint32_t kManyVirtualNodes = 100;

std::string key(std::uint64_t number) { return fmt::format("user:{}", number); }

impl::Ring ring_of(std::initializer_list<const char*> names, std::uint32_t virtual_nodes) {
  impl::Ring ring({.parameters = {.virtual_nodes = virtual_nodes}});
  for (const char* name : names) {
    SHARDCHECK_ASSERT(ring.add({.name = name}).has_value());
  }
  return ring;
}

std::vector<std::string> owners(const impl::Ring& ring) {
  std::vector<std::string> names;
  for (std::uint64_t number = 0; number < kKeys; ++number) {
    names.emplace_back(ring.owner(key(number)).value());
  }
  return names;
}

PlacementDemo::Loads loads_of(const std::vector<std::string>& owners) {
  PlacementDemo::Loads loads;
  for (const std::string& owner : owners) {
    ++loads[owner];
  }
  return loads;
}

std::vector<std::string> list_of_user_42(const impl::Ring& ring) {
  const auto list = ring.preference_list(key(42), 3);
  SHARDCHECK_ASSERT(list.has_value());
  return {list->begin(), list->end()};
}

std::string in_words(const PlacementDemo::Loads& loads) {
  std::string words;
  for (const auto& [member, keys] : loads) {
    words += fmt::format("{}{}={}", words.empty() ? "" : " ", member, keys);
  }
  return words;
}

}  // namespace

PlacementDemo placement_demo() {
  PlacementDemo demo;
  demo.one_virtual_node = loads_of(owners(ring_of({"A", "B", "C", "D"}, 1)));
  const std::vector<std::string> four = owners(ring_of({"A", "B", "C", "D"}, kManyVirtualNodes));
  demo.many_virtual_nodes = loads_of(four);
  const impl::Ring ring_of_five = ring_of({"A", "B", "C", "D", "E"}, kManyVirtualNodes);
  const std::vector<std::string> five = owners(ring_of_five);
  const impl::Ring ring_without_b = ring_of({"A", "C", "D", "E"}, kManyVirtualNodes);
  const std::vector<std::string> without_b = owners(ring_without_b);
  for (std::uint64_t number = 0; number < kKeys; ++number) {
    const bool is_moved = four[number] != five[number];
    demo.moved_by_join += is_moved ? 1U : 0U;
    demo.moved_to_joined += is_moved && five[number] == "E" ? 1U : 0U;
    const std::uint32_t hash = impl::ring_hash(key(number));
    demo.moved_by_modulo += hash % 4 != hash % 5 ? 1U : 0U;
    demo.moved_by_leave += five[number] != without_b[number] ? 1U : 0U;
    demo.owned_by_leaver += five[number] == "B" ? 1U : 0U;
  }
  demo.list_after_join = list_of_user_42(ring_of_five);
  demo.list_after_leave = list_of_user_42(ring_without_b);
  return demo;
}

std::string to_text(const PlacementDemo& demo) {
  return fmt::format(
      "keys user:0 to user:9999 on a hash ring ({})\n"
      "\n"
      "members A B C D, 1 virtual node each:     {}\n"
      "members A B C D, 100 virtual nodes each:  {}\n"
      "\n"
      "adding E moves {} keys, {} of them onto E; its fair share is 2000\n"
      "adding E under hash mod N moves {} keys\n"
      "removing B from A B C D E moves {} keys; it owned {}\n"
      "\n"
      "preference list of user:42 after adding E:               [{}]\n"
      "preference list of user:42 after B has been removed too: [{}]\n"
      "(The second list is sometimes told as the first. B is user:42's owner as long as it is there.)\n",
      impl::Ring().promises().golden, in_words(demo.one_virtual_node), in_words(demo.many_virtual_nodes),
      demo.moved_by_join, demo.moved_to_joined == demo.moved_by_join ? "all" : std::to_string(demo.moved_to_joined),
      demo.moved_by_modulo, demo.moved_by_leave, demo.owned_by_leaver, fmt::join(demo.list_after_join, ", "),
      fmt::join(demo.list_after_leave, ", "));
}

nlohmann::json to_json(const PlacementDemo& demo) {
  return {{"keys", kKeys},
          {"loads_with_1_virtual_node", demo.one_virtual_node},
          {"loads_with_100_virtual_nodes", demo.many_virtual_nodes},
          {"moved_by_join", demo.moved_by_join},
          {"moved_to_joined", demo.moved_to_joined},
          {"moved_by_modulo", demo.moved_by_modulo},
          {"moved_by_leave", demo.moved_by_leave},
          {"owned_by_leaver", demo.owned_by_leaver},
          {"list_of_user_42_after_join", demo.list_after_join},
          {"list_of_user_42_after_leave", demo.list_after_leave}};
}

}  // namespace shardcheck::cli
