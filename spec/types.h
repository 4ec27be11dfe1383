// Strong types of the vocabulary: identifiers, orders and times that must never be mixed up. None converts
// implicitly; only the arithmetic that means something exists. `.value` is for printing, hashing and codecs.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>

namespace shardcheck {

template <class Tag, class Representation>
struct Strong {
  using representation = Representation;

  Representation value{};

  constexpr Strong() = default;
  constexpr explicit Strong(Representation initial) : value(initial) {}
  friend constexpr auto operator<=>(Strong, Strong) = default;
};

// A process of a cluster: a storage node, a directory member, a router, a mover. Unique over the whole cluster.
struct NodeId : Strong<NodeId, std::uint16_t> {
  using Strong::Strong;
};
inline constexpr NodeId kNoNode{0xffff};

// A set of processes whose ids are below 64: the replica set of a range, for one.
class NodeSet {
 public:
  static constexpr std::uint16_t kIdsMax = 64;

  constexpr bool contains(NodeId id) const { return id.value < kIdsMax && (bits_ >> id.value & 1U) != 0; }
  // Ids of 64 and more are left out.
  constexpr void insert(NodeId id) { bits_ |= id.value < kIdsMax ? std::uint64_t{1} << id.value : 0; }
  constexpr void erase(NodeId id) { bits_ &= id.value < kIdsMax ? ~(std::uint64_t{1} << id.value) : ~std::uint64_t{0}; }
  constexpr bool is_empty() const { return bits_ == 0; }
  constexpr int size() const { return std::popcount(bits_); }
  // In order of id.
  template <class Visit>
  constexpr void for_each(Visit visit) const {
    for (std::uint64_t left = bits_; left != 0; left &= left - 1) {
      visit(NodeId{static_cast<std::uint16_t>(std::countr_zero(left))});
    }
  }

  friend constexpr bool operator==(NodeSet, NodeSet) = default;

 private:
  std::uint64_t bits_ = 0;
};

// One logical client. It has at most one operation outstanding.
struct ClientId : Strong<ClientId, std::uint16_t> {
  using Strong::Strong;
};

// The identity of a range in the directory, kept across moves and changes of owner.
struct ShardId : Strong<ShardId, std::uint16_t> {
  using Strong::Strong;
};

// A part of the directory that keeps the records of one interval of keys.
struct MetadataShardId : Strong<MetadataShardId, std::uint16_t> {
  using Strong::Strong;
};

// A key, interned: keys are ordered by this number, and ranges are intervals of it.
struct Key : Strong<Key, std::uint32_t> {
  using Strong::Strong;
};
constexpr Key next(Key key) { return Key{key.value + 1}; }

// A position in the directory's log: one total order of everything the directory ever decided. 0 is before all.
struct DirectoryPosition : Strong<DirectoryPosition, std::uint64_t> {
  using Strong::Strong;
};
constexpr DirectoryPosition next(DirectoryPosition position) { return DirectoryPosition{position.value + 1}; }

// Names one grant of a range: the DirectoryPosition at which it was decided, so grants have one order. 0: none.
struct Epoch : Strong<Epoch, std::uint64_t> {
  using Strong::Strong;
};
constexpr Epoch epoch_of(DirectoryPosition position) { return Epoch{position.value}; }

// A position in the data log of one range. Comparable within a range only, never with a DirectoryPosition. 0 is
// before the first entry.
struct LogPosition : Strong<LogPosition, std::uint64_t> {
  using Strong::Strong;
};
constexpr LogPosition next(LogPosition position) { return LogPosition{position.value + 1}; }
constexpr LogPosition operator+(LogPosition position, std::uint64_t count) {
  return LogPosition{position.value + count};
}
constexpr std::uint64_t operator-(LogPosition later, LogPosition earlier) { return later.value - earlier.value; }

// One move of a range: the position at which the directory accepted it. 0: no move.
struct MoveId : Strong<MoveId, std::uint64_t> {
  using Strong::Strong;
};
constexpr MoveId move_of(DirectoryPosition position) { return MoveId{position.value}; }

// Which mover may drive a move: grows each time another one takes over.
struct MoverEpoch : Strong<MoverEpoch, std::uint32_t> {
  using Strong::Strong;
};
constexpr MoverEpoch next(MoverEpoch epoch) { return MoverEpoch{epoch.value + 1}; }

// One logical request, chosen by the client and kept over all retries. A client's sequence only grows, and a client
// never starts a request before it has given up or finished the one before. Sequence 0 names no request.
struct RequestId {
  ClientId client;
  std::uint32_t sequence = 0;

  friend constexpr auto operator<=>(RequestId, RequestId) = default;
};

// A length of time in nanoseconds.
struct Duration : Strong<Duration, std::int64_t> {
  using Strong::Strong;
};
constexpr Duration nanoseconds(std::int64_t count) { return Duration{count}; }
constexpr Duration microseconds(std::int64_t count) { return Duration{count * 1'000}; }
constexpr Duration milliseconds(std::int64_t count) { return Duration{count * 1'000'000}; }
constexpr Duration operator+(Duration left, Duration right) { return Duration{left.value + right.value}; }
constexpr Duration operator-(Duration left, Duration right) { return Duration{left.value - right.value}; }
constexpr Duration operator*(Duration duration, std::int64_t factor) { return Duration{duration.value * factor}; }
constexpr Duration operator/(Duration duration, std::int64_t divisor) { return Duration{duration.value / divisor}; }

// What a process reads on its own clock, in nanoseconds. Clocks of two processes differ within the stated bound.
struct Instant : Strong<Instant, std::int64_t> {
  using Strong::Strong;
};
constexpr Instant operator+(Instant instant, Duration duration) { return Instant{instant.value + duration.value}; }
constexpr Instant operator-(Instant instant, Duration duration) { return Instant{instant.value - duration.value}; }
constexpr Duration operator-(Instant later, Instant earlier) { return Duration{later.value - earlier.value}; }

// The time no process can read: the one by which runs are judged, in nanoseconds since the start of a run.
struct TrueTime : Strong<TrueTime, std::int64_t> {
  using Strong::Strong;
};
constexpr TrueTime operator+(TrueTime time, Duration duration) { return TrueTime{time.value + duration.value}; }
constexpr TrueTime operator-(TrueTime time, Duration duration) { return TrueTime{time.value - duration.value}; }
constexpr Duration operator-(TrueTime later, TrueTime earlier) { return Duration{later.value - earlier.value}; }

// The version of a key: which grant wrote it, and where in that range's log. Newer is greater.
struct Version {
  Epoch epoch;
  LogPosition position;

  friend constexpr auto operator<=>(Version, Version) = default;
};

// A half-open interval of keys, [lo, hi).
struct KeyRange {
  Key lo;
  Key hi;

  constexpr bool contains(Key key) const { return lo <= key && key < hi; }
  constexpr bool is_empty() const { return !(lo < hi); }
  constexpr bool overlaps(KeyRange other) const { return lo < other.hi && other.lo < hi; }
  friend constexpr auto operator<=>(KeyRange, KeyRange) = default;
};

}  // namespace shardcheck
