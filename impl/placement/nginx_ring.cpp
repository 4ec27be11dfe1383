#include "impl/placement/nginx_ring.h"

#include <algorithm>
#include <array>
#include <memory>

namespace shardcheck::impl {
namespace {

constexpr std::uint64_t kPointsPerWeight = 160;

// CRC-32 as in Ethernet and zlib: reflected polynomial 0xEDB88320, all ones before and after.
constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest & 1) != 0 ? (rest >> 1) ^ 0xedb88320 : rest >> 1;
    }
    table[byte] = rest;
  }
  return table;
}

constexpr std::array kCrcTable = make_crc_table();

std::uint32_t updated(std::uint32_t crc, std::string_view text) {
  for (const char letter : text) {
    crc = kCrcTable[(crc ^ static_cast<unsigned char>(letter)) & 0xff] ^ (crc >> 8);
  }
  return crc;
}

std::uint32_t crc32_of(std::string_view text) { return ~updated(~std::uint32_t{0}, text); }

bool starts_with_unix(std::string_view name) {
  constexpr std::string_view kUnix = "unix:";
  return name.size() >= kUnix.size() &&
         std::ranges::equal(name.substr(0, kUnix.size()), kUnix, [](char one, char other) {
           return (one >= 'A' && one <= 'Z' ? one - 'A' + 'a' : one) == other;
         });
}

// "host \0 port": the port is what stands behind the last colon if it is all digits.
std::string label_of(std::string_view name) {
  if (starts_with_unix(name)) {
    return std::string(name.substr(5)) + '\0';
  }
  const std::size_t host_end = name.find_last_not_of("0123456789");
  if (host_end == std::string_view::npos || name[host_end] != ':') {
    return std::string(name) + '\0';
  }
  return std::string(name.substr(0, host_end)) + '\0' + std::string(name.substr(host_end + 1));
}

std::uint64_t point_count(std::int64_t weight, const RingTotals&) {
  return kPointsPerWeight * static_cast<std::uint64_t>(weight);
}

std::vector<std::uint32_t> positions_of(std::string_view label, std::uint64_t count) {
  const std::uint32_t base = updated(~std::uint32_t{0}, label);
  std::vector<std::uint32_t> positions;
  positions.reserve(count);
  std::uint32_t previous = 0;
  for (std::uint64_t number = 0; number < count; ++number) {
    const std::array little_endian{static_cast<char>(previous & 0xff), static_cast<char>(previous >> 8 & 0xff),
                                   static_cast<char>(previous >> 16 & 0xff), static_cast<char>(previous >> 24)};
    previous = ~updated(base, std::string_view(little_endian.data(), little_endian.size()));
    positions.push_back(previous);
  }
  return positions;
}

PlacementPromises promises(const RingTotals&) {
  return {.movement = Promise::exactly,
          .movement_share = Promise::within_bound,
          .balance = Promise::within_bound,
          .points_per_weight = kPointsPerWeight};
}

}  // namespace

const RingConvention& nginx_ring_convention() {
  static constexpr RingConvention kConvention{.name = "nginx",
                                              .label_of = label_of,
                                              .point_count = point_count,
                                              .positions_of = positions_of,
                                              .position_of_key = crc32_of,
                                              .promises = promises};
  return kConvention;
}

PlacementFactory nginx_ring_factory() {
  return {.name = "nginx", .make = [](PlacementParameters parameters) -> std::unique_ptr<Placement> {
            return std::make_unique<PointRing>(nginx_ring_convention(), parameters);
          }};
}

}  // namespace shardcheck::impl
