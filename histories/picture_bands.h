// The nemesis lines of a history as bands of time: a kill lasts until the restart, a partition until it heals, a move
// until it is done. What a recorder calls its faults is not standardised; words that are not known become moments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "histories/history.h"

namespace shardcheck::histories {

struct NemesisBand {
  TrueTime from;
  // A moment has the same time twice. Absent: nothing in the history ends it.
  std::optional<TrueTime> until;
  std::uint32_t event = 0;                 // index into History::nemesis
  std::optional<std::uint32_t> end_event;  // the event that ends it

  friend bool operator==(const NemesisBand&, const NemesisBand&) = default;
};

// In the order of their beginnings. An event without a time has that of the operation before it in the file.
std::vector<NemesisBand> bands_of(const History& history);

// Which of the bands to draw when there is room for so many: indexes, those nearest in time to the operations given
// first; without operations some picked evenly.
std::vector<std::uint32_t> nearest_bands(const History& history, const std::vector<NemesisBand>& bands,
                                         const std::vector<std::uint32_t>& operations, std::size_t count_max);

}  // namespace shardcheck::histories
