// shardcheck placement --demo: what a hash ring does to ten thousand keys, in numbers that anybody can recompute from
// the convention of kGoldenRing (spec/placement.h). Everything printed is counted here, nothing is known beforehand.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace shardcheck::cli {

struct PlacementDemo {
  using Loads = std::map<std::string, std::uint64_t>;  // keys of each member

  Loads one_virtual_node;           // members A to D
  Loads many_virtual_nodes;         // the same members with 100 virtual nodes each
  std::uint64_t moved_by_join = 0;  // E joins the ring of 100 virtual nodes
  std::uint64_t moved_to_joined = 0;
  std::uint64_t moved_by_modulo = 0;  // the same change under hash mod N
  std::uint64_t moved_by_leave = 0;   // then B leaves the five
  std::uint64_t owned_by_leaver = 0;
  std::vector<std::string> list_after_join;   // of user:42, three members
  std::vector<std::string> list_after_leave;  // the same when B has left

  friend bool operator==(const PlacementDemo&, const PlacementDemo&) = default;
};

PlacementDemo placement_demo();
std::string to_text(const PlacementDemo& demo);
nlohmann::json to_json(const PlacementDemo& demo);

}  // namespace shardcheck::cli
