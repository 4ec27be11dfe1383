#include "harness/golden_ring.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace shardcheck {
namespace {

using nlohmann::json;

PlacementCase case_of(std::vector<std::string> names, std::uint32_t virtual_nodes) {
  PlacementCase input;
  input.parameters.virtual_nodes = virtual_nodes;
  for (std::string& name : names) {
    input.members.push_back({.name = std::move(name)});
  }
  return input;
}

PlacementCase vector_case(const json& vector) {
  PlacementCase input = case_of(vector["nodes"], vector["vnodes"]);
  for (Member& member : input.members) {
    member.weight = vector["weights"].value(member.name, 1);
  }
  for (const json& point : vector.contains("points") ? vector["points"] : vector["points_first20"]) {
    input.answers.push_back(GoldenPosition{point[0], point[1]});
  }
  for (const auto& [key, member] : vector["owners"].items()) {
    input.answers.push_back(GoldenOwner{key, member});
  }
  for (const auto& [key, members] : vector["preference3"].items()) {
    input.answers.push_back(GoldenList{key, members});
  }
  return input;
}

void add_edges(std::vector<GoldenCase>& cases, const json& edges) {
  PlacementCase wrap = case_of({"A", "B", "C", "D"}, 100);
  PlacementCase on_point = wrap;
  PlacementCase join = wrap;
  for (const json& key : edges["wrap_keys_ABCD_v100"]) {
    wrap.answers.push_back(GoldenOwner{key, "D"});
  }
  cases.push_back({"wrap_keys_ABCD_v100", wrap});
  for (const json& row : edges["key_on_point_ABCD_v100"]) {
    on_point.answers.push_back(GoldenOwner{row["key"], row["owner_ge"]});
  }
  cases.push_back({"key_on_point_ABCD_v100", on_point});

  // Added against the order of names, so that the last one in would win if the order of insertion mattered.
  const json& collision = edges["collision_ring_n15_n306_v200"];
  PlacementCase collided = case_of({"n306", "n15"}, 200);
  collided.answers.push_back(GoldenPosition{collision["position"], collision["owner_by_name_order"]});
  for (const json& key : collision["keys"]) {
    collided.answers.push_back(GoldenOwner{key, collision["owner_by_name_order"]});
  }
  cases.push_back({"collision_ring_n15_n306_v200", collided});

  const json& preference = edges["seed_preference_user42"];
  join.edits.push_back({EditKind::add, {.name = "E"}});
  PlacementCase leave = join;
  leave.edits.push_back({EditKind::remove, {.name = "B"}});
  join.answers.push_back(GoldenList{"user:42", preference["ABCDE (E added)"]});
  leave.answers.push_back(GoldenList{"user:42", preference["ACDE (then B removed)"]});
  cases.push_back({"seed_preference_user42 with E", join});
  cases.push_back({"seed_preference_user42 with E, without B", leave});
}

}  // namespace

std::vector<GoldenCase> golden_ring_cases() {
  std::vector<GoldenCase> cases;
  for (const GoldenFile& file : golden_ring_files()) {
    const json content = json::parse(file.json);
    if (file.name == "edges") {
      add_edges(cases, content);
    } else {
      cases.push_back({std::string(file.name), vector_case(content)});
    }
  }
  return cases;
}

}  // namespace shardcheck
