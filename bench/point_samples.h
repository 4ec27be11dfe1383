// Points and questions for measuring lookup tables: uniform and always the same ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "impl/placement/point_table.h"
#include "impl/placement/uniform_numbers.h"

namespace shardcheck::bench {

// So many that neither a cache nor the prediction of branches can learn them, whatever the table: a few thousand asked
// again and again would keep their own lines in the cache.
inline std::size_t questions_for(std::size_t points) {
  return points < 1'000'000 ? std::size_t{1} << 20U : std::size_t{1} << 22U;
}

template <class Position>
std::vector<Position> uniform_questions(std::size_t count) {
  impl::UniformNumbers numbers(2);
  std::vector<Position> questions(count);
  for (Position& question : questions) {
    question = static_cast<Position>(numbers.next());
  }
  return questions;
}

// Points of 100 members, in order.
template <class Position>
struct PointSamples {
  explicit PointSamples(std::size_t points) : positions(points), owners(points) {
    impl::UniformNumbers numbers(1);
    for (Position& position : positions) {
      position = static_cast<Position>(numbers.next());
    }
    std::sort(positions.begin(), positions.end());
    for (impl::MemberIndex& owner : owners) {
      owner = static_cast<impl::MemberIndex>(numbers.next() % 100);
    }
  }
  impl::PointList<Position> list() const { return {.positions = positions, .owners = owners}; }

  std::vector<Position> positions;
  std::vector<impl::MemberIndex> owners;
};

}  // namespace shardcheck::bench
