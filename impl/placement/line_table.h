// The layout of the ring's own table: positions are uniform, so the top bits of a position say which cache line has the
// answer, and that line holds the few points of its part of the circle and what belongs to them. One access to memory a
// lookup, no branch on the data.
//
// "Top bits" by multiplication: position * lines, whose high half is the line and whose low half grows with the
// position within a line. A shift would do with a power of two of lines only, so that lines would be half empty on
// average; this way they hold kMeanFill points each, whatever the number of points. A line keeps 16 bits of that low
// half for each of its points. From 65,536 lines on, these distinguish all 32-bit positions; below, and with 64-bit
// positions, a question whose 16 bits equal those of a point (one in ten thousand) is answered by bisection among the
// points of the line, and so is one of a line with more points than fit (one in two thousand).
//
// 17.4 bytes a point of 32-bit positions and 21.4 of 64-bit ones with 2-byte records; about 34 and 38 with 6-byte ones.
// Positions that are not uniform are answered as well, by bisection in the end: O(1) expected, O(log points) at worst.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "impl/page_array.h"
#include "impl/placement/bisect_table.h"
#include "impl/placement/line_compare.h"
#include "impl/placement/point_table.h"
#include "spec/assert.h"

namespace shardcheck::impl {

// `Record` is what a lookup answers: of at most 6 bytes, plain.
template <class Position, class Record = MemberIndex>
class LineTable {
 public:
  using PositionType = Position;

  LineTable() = default;  // without points; only size(), bytes() and records() may be asked

  // Positions ascending and below 2^position_bits, `records` as many. Above the last position the record of
  // `rank_above_last` answers. O(points).
  LineTable(std::span<const Position> positions, std::span<const Record> records,
            unsigned position_bits = std::numeric_limits<Position>::digits, std::size_t rank_above_last = 0);
  explicit LineTable(PointList<Position> points) : LineTable(points.positions, points.owners) {}

  std::size_t size() const noexcept { return positions_.size(); }
  std::size_t bytes() const noexcept {
    return lines_.bytes() + line_start_.bytes() + positions_.bytes() + records_.bytes();
  }
  // What a lookup reads, as long as it need not fall back to the rest.
  std::size_t hot_bytes() const noexcept { return lines_.bytes(); }

  std::span<const Position> positions() const noexcept { return positions_.values(); }
  std::span<const Record> records() const noexcept { return records_.values(); }

  Record owner_at(Position position) const noexcept {
    const Place place = place_of(position, scale_);
    const Line& line = lines_[place.line];
    const unsigned below = BestCompare::below<kLanes>(line.numbers.data(), place.number);
    if (is_undecided(line, below, place)) [[unlikely]] {
      return record_by_bisection(position);
    }
    return line.records[below];
  }

  // Fetches the lines of a group before it reads the first of them, unless the table fits a cache that is fast enough.
  void owners_at(std::span<const Position> positions, std::span<Record> records) const noexcept {
    if (hot_bytes() <= kFastCacheBytes) {
      answer(positions.data(), records.data(), positions.size());
      return;
    }
    for (std::size_t from = 0; from < positions.size(); from += kBatchGroup) {
      const std::size_t count = std::min(kBatchGroup, positions.size() - from);
      answer_fetched(positions.data() + from, records.data() + from, count);
    }
  }

  // How many points lie below a position; size() if all do.
  std::size_t rank_at(Position position) const noexcept {
    const std::size_t line = place_of(position, scale_).line;
    const std::size_t first = line_start_[line];
    const std::size_t end = line_start_[line + 1];
    return first + count_below(positions_.values().subspan(first, end - first), position);
  }

 private:
  static constexpr std::size_t kLanes = sizeof(Record) <= 2 ? 16 : 8;
  static constexpr std::size_t kCapacity = kLanes - 1;
  // Points a line on average. More overfill too many lines, fewer waste memory and with it cache.
  static constexpr std::size_t kMeanFillTenths = kLanes == 16 ? 60 : 28;
  static constexpr std::int16_t kNumberMax = std::numeric_limits<std::int16_t>::max();
  static constexpr std::int16_t kOverfull = std::numeric_limits<std::int16_t>::min();

  struct alignas(64) Line {
    // Ascending, then filled up with the greatest number, at least once. All kOverfull in a line with too many points:
    // no number is above that one.
    std::array<std::int16_t, kLanes> numbers;
    std::array<Record, kLanes> records;  // then filled up with the record of what follows the line
  };
  static_assert(sizeof(Line) == 64);

  struct Place {
    std::size_t line;
    std::int16_t number;
  };

  static Place place_of(Position position, std::uint64_t scale) noexcept;
  // Where the line is overfull, or the key's 16 bits say only that it is near a point and not on which side of it.
  bool is_undecided(const Line& line, unsigned below, Place place) const noexcept {
    if (below == kLanes) {
      return true;  // only in an overfull line
    }
    // The first that is not below, so if any is equal, then this one.
    const bool has_equal = line.numbers[below] == place.number;
    return has_equal && (!numbers_are_exact_ || line.numbers[kCapacity] == kOverfull);
  }
  [[gnu::noinline]] Record record_by_bisection(Position position) const noexcept {
    const std::size_t rank = rank_at(position);
    return records_[rank < records_.size() ? rank : rank_above_last_];
  }
  void answer(const Position* positions, Record* records, std::size_t count) const noexcept;
  void answer_fetched(const Position* positions, Record* records, std::size_t count) const noexcept;
  void fill_line(std::size_t index, std::size_t first, std::size_t end);

  // A second-level cache of this size is common, and its latency is hidden without fetching ahead.
  static constexpr std::size_t kFastCacheBytes = std::size_t{1} << 19;

  std::uint64_t scale_ = 0;  // the number of lines, times what makes all positions fill their type
  bool numbers_are_exact_ = false;
  std::size_t rank_above_last_ = 0;
  PageArray<Line> lines_;
  PageArray<std::uint32_t> line_start_;  // rank of the first point in or after each line; one more at the end
  PageArray<Position> positions_;
  PageArray<Record> records_;
};

template <class Position, class Record>
LineTable<Position, Record>::LineTable(std::span<const Position> positions, std::span<const Record> records,
                                       unsigned position_bits, std::size_t rank_above_last)
    : rank_above_last_(rank_above_last), positions_(positions), records_(records) {
  constexpr unsigned kTypeBits = std::numeric_limits<Position>::digits;
  SHARDCHECK_ASSERT(position_bits >= 1 && position_bits <= kTypeBits);
  SHARDCHECK_ASSERT(positions.size() == records.size());
  SHARDCHECK_ASSERT(positions.size() < std::numeric_limits<std::uint32_t>::max());
  if (positions.empty()) {
    return;
  }
  SHARDCHECK_ASSERT(rank_above_last < positions.size());
  const Position position_max = std::numeric_limits<Position>::max() >> (kTypeBits - position_bits);
  const std::size_t wanted = positions.size() * 10 / kMeanFillTenths + 1;
  const std::size_t lines = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, position_max));
  scale_ = std::uint64_t{lines} << (kTypeBits - position_bits);
  numbers_are_exact_ = scale_ >> (kTypeBits - 16) != 0;
  lines_ = PageArray<Line>(lines);
  line_start_ = PageArray<std::uint32_t>(lines + 1);
  std::size_t rank = 0;
  for (std::size_t index = 0; index < lines; ++index) {
    const std::size_t first = rank;
    while (rank < positions.size() && place_of(positions[rank], scale_).line == index) {
      ++rank;
    }
    line_start_[index] = static_cast<std::uint32_t>(first);
    fill_line(index, first, rank);
  }
  line_start_[lines] = static_cast<std::uint32_t>(rank);
  // Not all points found their line if they do not ascend or lie beyond the greatest position.
  SHARDCHECK_ASSERT(rank == positions.size());
}

template <class Position, class Record>
void LineTable<Position, Record>::fill_line(std::size_t index, std::size_t first, std::size_t end) {
  Line& line = lines_[index];
  if (end - first > kCapacity) {
    line.numbers.fill(kOverfull);
    return;
  }
  line.numbers.fill(kNumberMax);
  line.records.fill(records_[end < records_.size() ? end : rank_above_last_]);
  for (std::size_t slot = 0; slot < end - first; ++slot) {
    line.numbers[slot] = place_of(positions_[first + slot], scale_).number;
    line.records[slot] = records_[first + slot];
  }
}

template <class Position, class Record>
auto LineTable<Position, Record>::place_of(Position position, std::uint64_t scale) noexcept -> Place {
  // The low half's top 16 bits, made signed in a way that keeps their order: the oldest instructions compare no others.
  constexpr std::uint64_t kSign = 0x8000;
  if constexpr (sizeof(Position) == 4) {
    const std::uint64_t product = std::uint64_t{position} * scale;
    return {.line = static_cast<std::size_t>(product >> 32U),
            .number = static_cast<std::int16_t>(static_cast<std::uint16_t>((product >> 16U) ^ kSign))};
  } else {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{position} * scale;
    const std::uint64_t low = static_cast<std::uint64_t>(product);
    return {.line = static_cast<std::size_t>(product >> 64U),
            .number = static_cast<std::int16_t>(static_cast<std::uint16_t>((low >> 48U) ^ kSign))};
  }
}

template <class Position, class Record>
void LineTable<Position, Record>::answer(const Position* positions, Record* records, std::size_t count) const noexcept {
  // What the loop needs of this object in registers: the compiler must otherwise expect the answers to overwrite it.
  const Line* const lines = lines_.data();
  const std::uint64_t scale = scale_;
#pragma GCC unroll 4
  for (std::size_t index = 0; index < count; ++index) {
    const Place place = place_of(positions[index], scale);
    const Line& line = lines[place.line];
    const unsigned below = BestCompare::below<kLanes>(line.numbers.data(), place.number);
    records[index] = is_undecided(line, below, place) ? record_by_bisection(positions[index]) : line.records[below];
  }
}

template <class Position, class Record>
void LineTable<Position, Record>::answer_fetched(const Position* positions, Record* records,
                                                 std::size_t count) const noexcept {
  for (std::size_t index = 0; index < count; ++index) {
    __builtin_prefetch(&lines_[place_of(positions[index], scale_).line]);
  }
  answer(positions, records, count);
}

}  // namespace shardcheck::impl
