// What a placement costs and how evenly it spreads, measured: load, movement, time, memory, and what its order of keys
// means for scans and for hot partitions.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "spec/placement.h"

namespace shardcheck::cli {

struct FiguresOptions {
  std::uint64_t members = 10;         // of weight 1, named member-0, member-1, ...
  std::uint64_t keys = 100'000;       // user:0, user:1, ...
  std::uint32_t virtual_nodes = 100;  // where the scheme has any
};
inline constexpr std::uint64_t kFigureMembersMax = 4'096;
inline constexpr std::uint64_t kFigureKeysMax = 10'000'000;
inline constexpr std::uint32_t kFigureVirtualNodesMax = 100'000;
inline constexpr std::uint64_t kFigurePointsMax = 20'000'000;

struct PlacementFigures {
  std::string scheme;
  FiguresOptions options;

  std::map<std::string, std::uint64_t> loads;  // keys of each member, also of those without any
  double peak_to_mean = 0;
  double deviation = 0;         // standard deviation of the loads, relative to their mean
  double deviation_by_law = 0;  // what the scheme's points and so many keys give by chance

  double moved_by_join = 0;    // parts of all keys; ideally 1 / (members + 1)
  double strayed_by_join = 0;  // thereof from one member that was there to another
  double moved_by_leave = 0;   // of one of the members; ideally its load
  double ideal_by_leave = 0;
  double strayed_by_leave = 0;

  double lookup_ns = 0;  // a key, asked for together through the seam
  double build_ms = 0;   // all members, one after another
  double join_ms = 0;    // one more
  std::optional<double> bytes_a_member;

  double scan_members = 0;  // how many members own a hundred keys next to one another in order, on average
  double hot_share = 0;     // what one member gets of the newest hundredth of keys that only grow

  double ideal_by_join() const { return 1.0 / static_cast<double>(options.members + 1); }
};

// What the words of the tables mean that nobody knows by themselves.
struct FigureWord {
  std::string_view word;
  std::string_view meaning;
};
std::span<const FigureWord> figure_words();
// A line for each.
std::string figure_words_text();

// Fails when the scheme refuses a member or has no owner for a key, or breaks down.
Result<PlacementFigures> measure_placement(const PlacementFactory& factory, const FiguresOptions& options);

std::string to_text(const PlacementFigures& figures);
nlohmann::json to_json(const PlacementFigures& figures);

}  // namespace shardcheck::cli
