// What the tests about moves tell in common.
#pragma once

#include "spec/story.h"

namespace shardcheck::story {

constexpr Version version(std::uint64_t epoch, std::uint64_t position) { return {Epoch{epoch}, LogPosition{position}}; }

// A range moved from A to B.
inline Story committed_at_10() {
  Story story;
  story.create(kA, 5).move_up_to_fence(kB).confirm_barrier(kA).at(10).commit_move(500);
  return story;
}

}  // namespace shardcheck::story
