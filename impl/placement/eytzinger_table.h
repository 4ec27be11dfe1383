// The positions as an implicit tree: the children of node n are 2n and 2n + 1, so the nodes near the root share a few
// cache lines, and the descendants of a node four levels further down (three, of 64-bit positions) lie in one line that
// can be fetched before it is known which of them is needed. Khuong and Morin, "Array layouts for comparison-based
// searching", 2017. 6 or 10 bytes a point. O(log points), without a branch on the data.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "impl/page_array.h"
#include "impl/placement/point_table.h"
#include "spec/assert.h"

namespace shardcheck::impl {

// `Record` is what a lookup answers, plain.
template <class Position, class Record = MemberIndex>
class EytzingerTable {
 public:
  using PositionType = Position;

  explicit EytzingerTable(PointList<Position> points)
      : EytzingerTable(points.positions, points.owners, points.owners.empty() ? 0 : points.owners.front()) {
    SHARDCHECK_ASSERT(!points.positions.empty());
  }

  // Positions ascending, `records` as many; `above_last` is the answer above the last position. There may be none.
  EytzingerTable(std::span<const Position> positions, std::span<const Record> records, Record above_last)
      : nodes_(positions.size() + 1),
        records_(positions.size() + 1),
        full_levels_(static_cast<unsigned>(std::bit_width(positions.size() + 1)) - 1) {
    SHARDCHECK_ASSERT(positions.size() == records.size());
    // A search that never went left ends at number 0.
    records_[0] = above_last;
    std::size_t node = first_node();
    for (std::size_t rank = 0; rank < positions.size(); ++rank) {
      nodes_[node] = positions[rank];
      records_[node] = records[rank];
      node = next_node(node);
    }
    SHARDCHECK_ASSERT(node == 0);
  }

  std::size_t size() const noexcept { return nodes_.size() - 1; }
  std::size_t bytes() const noexcept { return nodes_.bytes() + records_.bytes(); }

  Record owner_at(Position position) const noexcept { return records_[node_at(position)]; }

  // The node of the first position that is not below this one; 0 if there is none.
  std::size_t node_at(Position position) const noexcept {
    std::size_t node = 1;
    for (unsigned level = 0; level < full_levels_; ++level) {
      __builtin_prefetch(address_of(node * kNodesInLine));
      node = 2 * node + std::size_t{nodes_[node] < position};
    }
    return answer_of(last_step(node, position));
  }
  Record record_of(std::size_t node) const noexcept { return records_[node]; }
  bool has_position(std::size_t node, Position position) const noexcept {
    return node != 0 && nodes_[node] == position;
  }

  // A group goes down level by level together.
  void owners_at(std::span<const Position> positions, std::span<Record> records) const noexcept {
    std::array<std::size_t, kBatchGroup> nodes;
    for (std::size_t from = 0; from < positions.size(); from += kBatchGroup) {
      const std::size_t count = std::min(kBatchGroup, positions.size() - from);
      nodes_at(positions.subspan(from, count), nodes);
      for (std::size_t index = 0; index < count; ++index) {
        records[from + index] = records_[nodes[index]];
      }
    }
  }

  // node_at for at most kBatchGroup positions; fetches the records of the nodes.
  void nodes_at(std::span<const Position> positions, std::array<std::size_t, kBatchGroup>& nodes) const noexcept {
    nodes.fill(1);
    for (unsigned level = 0; level < full_levels_; ++level) {
      for (std::size_t index = 0; index < positions.size(); ++index) {
        const std::size_t node = nodes[index];
        __builtin_prefetch(address_of(node * kNodesInLine));
        nodes[index] = 2 * node + std::size_t{nodes_[node] < positions[index]};
      }
    }
    for (std::size_t index = 0; index < positions.size(); ++index) {
      nodes[index] = answer_of(last_step(nodes[index], positions[index]));
      __builtin_prefetch(records_.data() + nodes[index]);
    }
  }

 private:
  static constexpr std::size_t kNodesInLine = 64 / sizeof(Position);

  // The line of a node's descendants; at most the end of the array, where there are none.
  const Position* address_of(std::size_t node) const noexcept { return nodes_.data() + std::min(node, nodes_.size()); }

  // The last level is not full: where it has no node, the step goes right, which answer_of takes back.
  std::size_t last_step(std::size_t node, Position position) const noexcept {
    const std::size_t absent = std::size_t{node >= nodes_.size()};
    const std::size_t read = node & (absent - 1);
    return 2 * node + (std::size_t{nodes_[read] < position} | absent);
  }

  // The path is in the bits of the number: the answer is where it last went left.
  static std::size_t answer_of(std::size_t node) noexcept { return node >> (std::countr_one(node) + 1); }

  // In the order of positions: the leftmost node, and the one after a node (0 after the last).
  std::size_t first_node() const noexcept { return std::bit_floor(nodes_.size() - 1); }  // 0 if there is none
  std::size_t next_node(std::size_t node) const noexcept {
    if (2 * node + 1 >= nodes_.size()) {
      return answer_of(node);
    }
    node = 2 * node + 1;
    while (2 * node < nodes_.size()) {
      node *= 2;
    }
    return node;
  }

  PageArray<Position> nodes_;  // node 1 is the root
  PageArray<Record> records_;
  unsigned full_levels_;
};

}  // namespace shardcheck::impl
