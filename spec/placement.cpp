#include "spec/placement.h"

namespace shardcheck {

Promise PlacementPromises::* level_of(ClauseId clause_id) {
  static constexpr std::pair<ClauseId, Promise PlacementPromises::*> kLevels[] = {
      {ClauseId::P1, &PlacementPromises::determinism},
      {ClauseId::P3, &PlacementPromises::movement},
      {ClauseId::P4, &PlacementPromises::movement_share},
      {ClauseId::P5, &PlacementPromises::balance},
  };
  for (const auto& [with_level, level] : kLevels) {
    if (with_level == clause_id) {
      return level;
    }
  }
  return nullptr;
}

Promise promise_of(const PlacementPromises& promises, ClauseId clause_id) {
  Promise PlacementPromises::* const level = level_of(clause_id);
  return level == nullptr ? Promise::exactly : promises.*level;
}

}  // namespace shardcheck
