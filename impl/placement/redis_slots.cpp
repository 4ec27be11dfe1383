#include "impl/placement/redis_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "impl/placement/member_list.h"

namespace shardcheck::impl {
namespace {

constexpr const char* kScheme = "redis slots";

std::uint32_t crc16_of(std::string_view text) {
  std::uint32_t crc = 0;
  for (const char letter : text) {
    crc ^= std::uint32_t{static_cast<unsigned char>(letter)} << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
    }
    crc &= 0xffff;
  }
  return crc;
}

Result<void> check(std::span<const Member> members) {
  for (const Member& member : members) {
    if (const Result<void> valid = check_member(kScheme, member); !valid) {
      return valid;
    }
  }
  if (const Result<void> valid = check_distinct(kScheme, members); !valid) {
    return valid;
  }
  if (members.size() > kRedisSlots) {
    return fail(kScheme, fmt::format("more than {} members", kRedisSlots));
  }
  return {};
}

}  // namespace

std::string_view redis_hash_tag(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) {
    return key;
  }
  const std::size_t close = key.find('}', open + 1);
  const bool has_tag = close != std::string_view::npos && close > open + 1;
  return has_tag ? key.substr(open + 1, close - open - 1) : key;
}

std::uint32_t redis_slot(std::string_view key) { return crc16_of(redis_hash_tag(key)) % kRedisSlots; }

Result<void> RedisSlots::add(const Member& member) {
  std::vector<Member> all = members_;
  all.push_back(member);
  return become(std::move(all));
}

Result<void> RedisSlots::remove(std::string_view name) {
  const auto gone = find(name);
  if (gone == members_.end()) {
    return not_a_member(kScheme, name);
  }
  std::vector<Member> left = members_;
  left.erase(left.begin() + (gone - members_.begin()));
  return become(std::move(left));
}

Result<void> RedisSlots::set_weight(std::string_view name, std::int64_t weight) {
  const auto found = find(name);
  if (found == members_.end()) {
    return not_a_member(kScheme, name);
  }
  std::vector<Member> changed = members_;
  changed[static_cast<std::size_t>(found - members_.begin())].weight = weight;
  return become(std::move(changed));
}

// Boundaries are the nearest whole slots to the sums of the weights so far, halves up.
Result<void> RedisSlots::become(std::vector<Member> members) {
  std::ranges::sort(members, {}, &Member::name);
  if (Result<void> valid = check(members); !valid) {
    return valid;
  }
  std::uint64_t total = 0;
  for (const Member& member : members) {
    total += static_cast<std::uint64_t>(member.weight);
  }
  std::vector<std::uint32_t> slot_end;
  std::uint64_t sum = 0;
  for (const Member& member : members) {
    sum += static_cast<std::uint64_t>(member.weight);
    slot_end.push_back(static_cast<std::uint32_t>((2 * kRedisSlots * sum + total) / (2 * total)));
  }
  members_ = std::move(members);
  slot_end_ = std::move(slot_end);
  return {};
}

std::vector<Member>::const_iterator RedisSlots::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(members_, name, {}, &Member::name);
  return found != members_.end() && found->name == name ? found : members_.end();
}

std::size_t RedisSlots::member_at(std::uint64_t slot) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(slot_end_, slot) - slot_end_.begin());
}

Result<std::string_view> RedisSlots::owner(std::string_view key) const { return owner_at(redis_slot(key)); }

Result<std::string_view> RedisSlots::owner_at(std::uint64_t position) const {
  if (position > position_max()) {
    return fail(kScheme, fmt::format("slot {} is above {}", position, position_max()));
  }
  if (members_.empty()) {
    return fail(kScheme, "no member owns anything, there is none");
  }
  return members_[member_at(position)].name;
}

Result<std::vector<std::string_view>> RedisSlots::preference_list(std::string_view key, std::size_t count) const {
  if (count > members_.size()) {
    return fail(kScheme, fmt::format("{} replicas asked for, there are {} members", count, members_.size()));
  }
  if (count == 0) {
    return {};
  }
  std::array<std::vector<std::string_view>, 3> chosen;  // first of their racks, others, those without slots
  std::set<std::string_view> racks;
  const std::size_t first = member_at(redis_slot(key));
  for (std::size_t step = 0; step < members_.size(); ++step) {
    const std::size_t number = (first + step) % members_.size();
    const Member& met = members_[number];
    const bool has_slots = slot_end_[number] > (number == 0 ? 0 : slot_end_[number - 1]);
    const bool is_first = has_slots && (met.rack.empty() || racks.insert(met.rack).second);
    chosen[is_first ? 0 : has_slots ? 1 : 2].push_back(met.name);
  }
  std::vector<std::string_view> list = std::move(chosen[0]);
  list.insert(list.end(), chosen[1].begin(), chosen[1].end());
  list.insert(list.end(), chosen[2].begin(), chosen[2].end());
  list.resize(count);
  return list;
}

std::vector<PlacementPoint> RedisSlots::points() const {
  std::vector<PlacementPoint> ends;
  std::uint32_t begin = 0;
  for (std::size_t number = 0; number < members_.size(); ++number) {
    if (slot_end_[number] > begin) {
      ends.push_back({.position = slot_end_[number] - 1, .member = members_[number].name});
      begin = slot_end_[number];
    }
  }
  return ends;
}

PlacementFactory redis_slots_factory() {
  return {.name = "redis-slots",
          .make = [](PlacementParameters) -> std::unique_ptr<Placement> { return std::make_unique<RedisSlots>(); }};
}

}  // namespace shardcheck::impl
