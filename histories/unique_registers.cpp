// Why this is exact. In any order of effects the operations on one value stand together: its write, then its reads. So
// its forward zone is a stretch of time that belongs to it alone. Two such zones must not overlap; and a backward zone
// must not lie within one, since then one of its operations begins after the stretch has begun and one ends before the
// stretch ends, so that they stand neither all before it nor all behind. That these conditions, together with every
// value read being written by a write that began before the read ended, also suffice is Gibbons and Korach's theorem:
// order the values by their zones, each backward zone at an instant of it that no forward zone takes.
#include "histories/unique_registers.h"

#include <algorithm>
#include <iterator>

namespace shardcheck::histories {

std::optional<Verdict> UniqueRegisters::decide(const KeyHistory& history) {
  if (!collect_zones(history)) {
    return std::nullopt;
  }
  return do_zones_fit() ? Verdict::linearizable : Verdict::not_linearizable;
}

UniqueRegisters::Zone& UniqueRegisters::zone_of(ValueId value) {
  const auto next = static_cast<std::uint32_t>(zones_.size());
  const std::uint32_t index = index_of_value_.find_or_insert(value.value, next);
  if (index == next) {
    zones_.push_back(Zone{});
  }
  return zones_[index];
}

// False when the history is not of the form that can be decided.
bool UniqueRegisters::collect_zones(const KeyHistory& history) {
  index_of_value_.clear();
  zones_.clear();
  zone_of(kAbsent) = {.first_return = kBeforeAll, .write_invoked = kBeforeAll};
  for (const KeyOperation& operation : history.operations) {
    const bool is_write = operation.kind == OperationKind::write;
    if (!operation.has_returned() || !(is_write || operation.kind == OperationKind::read)) {
      return false;
    }
    Zone& zone = zone_of(is_write ? operation.argument : operation.observed);
    if (is_write) {
      if (zone.write_invoked != kNever) {
        return false;
      }
      zone.write_invoked = operation.invoked;
    }
    zone.first_return = std::min<std::int64_t>(zone.first_return, operation.returned);
    zone.last_invocation = std::max<std::int64_t>(zone.last_invocation, operation.invoked);
  }
  return true;
}

bool UniqueRegisters::do_zones_fit() {
  forward_.clear();
  for (const Zone& zone : zones_) {
    if (zone.write_invoked == kNever || zone.first_return < zone.write_invoked) {
      return false;
    }
    if (zone.first_return < zone.last_invocation) {
      forward_.push_back(zone);
    }
  }
  std::ranges::sort(forward_, {}, &Zone::first_return);
  for (std::size_t i = 1; i < forward_.size(); ++i) {
    if (forward_[i].first_return < forward_[i - 1].last_invocation) {
      return false;
    }
  }
  // As forward zones do not overlap, only the last one that begins before a backward zone can hold it.
  return std::ranges::none_of(zones_, [this](const Zone& zone) {
    const auto behind = std::ranges::lower_bound(forward_, zone.last_invocation, {}, &Zone::first_return);
    return zone.last_invocation < zone.first_return && behind != forward_.begin() &&
           zone.first_return < std::prev(behind)->last_invocation;
  });
}

}  // namespace shardcheck::histories
