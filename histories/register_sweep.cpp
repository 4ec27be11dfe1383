// Why this is exact. In any order of effects the operations of a block stand together, so a block with
// deadline < arrival (a zone) has all the time between for itself: two zones must not overlap, and no other item may
// lie within one, because it would have to stand neither before nor behind it.
//
// What remains is when to take the others, each at an instant from its arrival to its deadline outside all zones. Only
// reads of the absence care about the order; they need a delete since the last block. The sweep keeps to four rules,
// and any order that fits can be changed step by step to keep to them and still fit:
//
// 1. Whatever reads the absence is taken as soon as it is there: it changes nothing.
// 2. While a value is there, and just before a delete or a zone, every block that has arrived is taken: what is there
//    behind this instant is the same as without it, and where the block stood later one change of the value is gone.
// 3. While nothing is there, a block waits for its deadline: until then nothing is lost for it, and the absence lasts
//    longer.
// 4. While a value is there, a delete waits for its own deadline, or that of a read of the absence (or for the zone
//    within which this deadline lies). Such a read arrived after the value did, so some delete must stand between the
//    two; the later it stands, the more blocks are overwritten by it and the more reads find the absence. Of those that
//    have arrived, the one with the earliest deadline goes: in an order that takes another one, the two can be
//    exchanged.
//
// So the sweep fails only where every order fails: at two items that exclude each other, or at a read of the absence
// for which no delete is left.
#include "histories/register_sweep.h"

#include <algorithm>
#include <functional>

#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

constexpr std::uint32_t kNothing = 0xffffffff;

}  // namespace

bool RegisterSweep::run(std::span<const SweepItem> items, bool begins_absent) {
  SHARDCHECK_ASSERT(items.size() < kNothing / 2);
  items_ = items;
  is_taken_.assign(items.size(), false);
  order_.clear();
  order_.reserve(items.size());
  waiting_blocks_.clear();
  waiting_reads_.clear();
  removes_.clear();
  is_absent_ = begins_absent;
  collect_events();
  for (Position now = 0; now < events_.size(); ++now) {
    const std::uint32_t event = events_[now];
    if (event == kNothing || is_taken_[event / 2]) {
      continue;
    }
    const std::uint32_t item = event / 2;
    const bool is_deadline = event % 2 != 0;
    if (!is_deadline) {
      arrive(item);
    } else if (is_zone(item)) {
      if (!take_zone(item)) {
        return false;
      }
      now = items_[item].arrival;
    } else if (!meet_deadline(item)) {
      return false;
    }
  }
  return true;
}

void RegisterSweep::collect_events() {
  Position end = 0;
  for (const SweepItem& item : items_) {
    end = std::max(end, std::max(item.arrival, item.deadline == kNever ? 0 : item.deadline) + 1);
  }
  events_.assign(end, kNothing);
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    events_[items_[i].arrival] = i * 2;
    if (items_[i].deadline != kNever) {
      events_[items_[i].deadline] = i * 2 + 1;
    }
  }
}

void RegisterSweep::arrive(std::uint32_t item) {
  switch (items_[item].kind) {
    case SweepItem::Kind::block:
      if (is_absent_) {
        waiting_blocks_.push_back(item);
      } else {
        take(item);
      }
      break;
    case SweepItem::Kind::absent_read:
      if (is_absent_) {
        take(item);
      } else {
        waiting_reads_.push_back(item);
      }
      break;
    case SweepItem::Kind::remove:
      removes_.emplace_back(items_[item].deadline, item);
      std::ranges::push_heap(removes_, std::greater<>());
      break;
  }
}

// Of an item that has arrived and is no zone.
bool RegisterSweep::meet_deadline(std::uint32_t item) {
  switch (items_[item].kind) {
    case SweepItem::Kind::block: take_waiting_blocks(); return true;
    case SweepItem::Kind::absent_read: return use_a_remove() || refuse(item, item);
    case SweepItem::Kind::remove:
      take_waiting_blocks();
      take_remove(item);
      return true;
  }
  return false;
}

// Takes a zone, and lets arrive what arrives meanwhile.
bool RegisterSweep::take_zone(std::uint32_t zone) {
  if (!clear_zone(zone)) {
    return false;
  }
  take(zone);
  is_absent_ = false;
  for (Position now = items_[zone].deadline + 1; now < items_[zone].arrival; ++now) {
    const std::uint32_t event = events_[now];
    if (event != kNothing && event % 2 == 0) {
      arrive(event / 2);
    }
  }
  return true;
}

// Takes what has to be taken before the zone: all whose deadline lies within it.
bool RegisterSweep::clear_zone(std::uint32_t zone) {
  const Position begin = items_[zone].deadline;
  bool is_absence_needed = false;
  urgent_removes_.clear();
  for (Position now = begin + 1; now < items_[zone].arrival; ++now) {
    const std::uint32_t event = events_[now];
    const std::uint32_t item = event / 2;
    if (event == kNothing || event % 2 == 0 || is_taken_[item]) {
      continue;
    }
    if (items_[item].arrival > begin) {
      return refuse(zone, item);
    }
    switch (items_[item].kind) {
      case SweepItem::Kind::block: break;  // taken below in any case
      case SweepItem::Kind::remove: urgent_removes_.push_back(item); break;
      case SweepItem::Kind::absent_read: is_absence_needed = true; break;
    }
  }
  take_waiting_blocks();
  for (const std::uint32_t item : urgent_removes_) {
    take_remove(item);
  }
  // A read of the absence that waits has been waiting since before any block that was taken just now.
  if (is_absence_needed && !is_absent_) {
    return use_a_remove() || refuse(zone, zone);
  }
  return true;
}

void RegisterSweep::take(std::uint32_t item) {
  SHARDCHECK_ASSERT(!is_taken_[item]);
  is_taken_[item] = true;
  order_.push_back(item);
}

void RegisterSweep::take_remove(std::uint32_t item) {
  take(item);
  is_absent_ = true;
  for (const std::uint32_t read : waiting_reads_) {
    take(read);
  }
  waiting_reads_.clear();
}

void RegisterSweep::take_waiting_blocks() {
  for (const std::uint32_t block : waiting_blocks_) {
    take(block);
    is_absent_ = false;
  }
  waiting_blocks_.clear();
}

bool RegisterSweep::use_a_remove() {
  while (!removes_.empty()) {
    std::ranges::pop_heap(removes_, std::greater<>());
    const std::uint32_t item = removes_.back().second;
    removes_.pop_back();
    if (!is_taken_[item]) {
      take_remove(item);
      return true;
    }
  }
  return false;
}

bool RegisterSweep::refuse(std::uint32_t left, std::uint32_t right) {
  contradiction_ = {left, right};
  return false;
}

}  // namespace shardcheck::histories
