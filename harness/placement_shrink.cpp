#include "harness/placement_shrink.h"

#include <utility>
#include <vector>

namespace shardcheck {
namespace {

class Shrinker {
 public:
  Shrinker(const PlacementCase& input, const std::function<bool(const PlacementCase&)>& still_fails)
      : smallest_(input), still_fails_(still_fails) {}

  PlacementCase run() {
    bool has_changed = true;
    while (has_changed && tries_ < kShrinkTriesMax) {
      has_changed = drop_some(&PlacementCase::answers);
      has_changed = drop_some(&PlacementCase::keys) || has_changed;
      if (smallest_.answers.empty()) {
        has_changed = drop_some(&PlacementCase::edits) || has_changed;
        has_changed = drop_some(&PlacementCase::members) || has_changed;
        has_changed = simplify_parameters() || has_changed;
        has_changed = simplify_members() || has_changed;
      }
    }
    return smallest_;
  }

 private:
  bool keep_if_failing(PlacementCase candidate) {
    if (candidate == smallest_ || tries_ >= kShrinkTriesMax) {
      return false;
    }
    ++tries_;
    if (!still_fails_(candidate)) {
      return false;
    }
    smallest_ = std::move(candidate);
    return true;
  }

  // Delta debugging: runs of half the list, a quarter, ... , one.
  template <class Item>
  bool drop_some(std::vector<Item> PlacementCase::* list) {
    bool has_changed = false;
    for (std::size_t run = (smallest_.*list).size(); run > 0; run /= 2) {
      std::size_t first = 0;
      while (first < (smallest_.*list).size()) {
        PlacementCase candidate = smallest_;
        std::vector<Item>& items = candidate.*list;
        const std::size_t end = std::min(first + run, items.size());
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(first),
                    items.begin() + static_cast<std::ptrdiff_t>(end));
        if (keep_if_failing(std::move(candidate))) {
          has_changed = true;
        } else {
          first += run;
        }
      }
    }
    return has_changed;
  }

  bool simplify_parameters() {
    bool has_changed = false;
    for (const std::uint32_t virtual_nodes :
         {std::uint32_t{1}, smallest_.parameters.virtual_nodes / 2, smallest_.parameters.virtual_nodes - 1}) {
      PlacementCase candidate = smallest_;
      candidate.parameters.virtual_nodes = virtual_nodes;
      const bool is_smaller = virtual_nodes >= 1 && virtual_nodes < smallest_.parameters.virtual_nodes;
      has_changed = (is_smaller && keep_if_failing(std::move(candidate))) || has_changed;
    }
    PlacementCase candidate = smallest_;
    candidate.parameters.position_bits = 32;
    return keep_if_failing(std::move(candidate)) || has_changed;
  }

  bool simplify_members() {
    bool has_changed = false;
    for (std::size_t index = 0; index < smallest_.members.size(); ++index) {
      PlacementCase candidate = smallest_;
      candidate.members[index].weight = 1;
      has_changed = keep_if_failing(std::move(candidate)) || has_changed;
      candidate = smallest_;
      candidate.members[index].rack.clear();
      has_changed = keep_if_failing(std::move(candidate)) || has_changed;
    }
    for (std::size_t index = 0; index < smallest_.edits.size(); ++index) {
      PlacementCase candidate = smallest_;
      candidate.edits[index].member.weight = 1;
      has_changed = keep_if_failing(std::move(candidate)) || has_changed;
      candidate = smallest_;
      candidate.edits[index].member.rack.clear();
      has_changed = keep_if_failing(std::move(candidate)) || has_changed;
    }
    return has_changed;
  }

  PlacementCase smallest_;
  const std::function<bool(const PlacementCase&)>& still_fails_;
  int tries_ = 0;
};

}  // namespace

PlacementCase shrink_placement_case(const PlacementCase& input,
                                    const std::function<bool(const PlacementCase&)>& still_fails) {
  return Shrinker(input, still_fails).run();
}

}  // namespace shardcheck
