// The lines by which a placement in another program is asked, for both ends; examples/my_ring_any_language/README.md is
// the page that a user reads. Each line is words with one blank between them, each word by to_word()
// (spec/placement_case.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/error.h"
#include "spec/placement.h"

namespace shardcheck {

inline constexpr std::uint32_t kPlacementProtocolVersion = 1;
// A line with many keys is cut before it gets longer than this, because line readers of several languages stop at
// 64 KiB. One key may be longer.
inline constexpr std::size_t kPlacementLineBytesMax = 60'000;

// What a program says about itself in its answer to "hello", and may correct in its answers to "reset".
struct PlacementHello {
  PlacementPromises promises;
  bool has_points_as_asked = false;  // points=V: as many points for each unit of weight as "reset" says
  PlacementAbilities abilities;
  std::optional<std::uint64_t> position_max;  // circle=N: it shows points, and positions end there
};

// "ok movement=exactly balance=bound points=V ..."
std::string to_line(const PlacementHello& hello);
// Changes what the words of an answer "ok ..." say. Fails with the word that is not understood.
Result<void> read_hello(std::string_view answer, PlacementHello& hello);

// A whole number from the first to the last character.
std::optional<std::uint64_t> number_of(std::string_view word);

}  // namespace shardcheck
