#include "harness/exact_time.h"

#include <charconv>

namespace shardcheck::harness {
namespace {

constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;
constexpr std::size_t kDecimalsMax = 6;
constexpr std::int64_t kMillisecondsMax = 1'000'000'000;  // eleven days: no run is as long

}  // namespace

std::string exact_milliseconds(std::int64_t nanoseconds) {
  const bool is_negative = nanoseconds < 0;
  const std::uint64_t size =
      is_negative ? 0 - static_cast<std::uint64_t>(nanoseconds) : static_cast<std::uint64_t>(nanoseconds);
  std::string text = (is_negative ? "-" : "") + std::to_string(size / kNanosecondsPerMillisecond);
  std::string decimals = std::to_string(kNanosecondsPerMillisecond + size % kNanosecondsPerMillisecond).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return decimals.empty() ? text + "ms" : text + "." + decimals + "ms";
}

std::optional<std::int64_t> parse_milliseconds(std::string_view text) {
  if (!text.ends_with("ms")) {
    return std::nullopt;
  }
  text.remove_suffix(2);
  const bool is_negative = text.starts_with('-');
  if (is_negative) {
    text.remove_prefix(1);
  }
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string decimals(point == std::string_view::npos ? "" : text.substr(point + 1));
  if (whole.empty() || decimals.size() > kDecimalsMax || (point != std::string_view::npos && decimals.empty())) {
    return std::nullopt;
  }
  decimals.append(kDecimalsMax - decimals.size(), '0');
  std::uint64_t milliseconds = 0;
  std::uint64_t rest = 0;
  const auto [whole_end, whole_error] = std::from_chars(whole.data(), whole.data() + whole.size(), milliseconds);
  const auto [rest_end, rest_error] = std::from_chars(decimals.data(), decimals.data() + decimals.size(), rest);
  if (whole_error != std::errc{} || rest_error != std::errc{} || whole_end != whole.data() + whole.size() ||
      rest_end != decimals.data() + decimals.size() || milliseconds > kMillisecondsMax) {
    return std::nullopt;
  }
  const auto nanoseconds =
      static_cast<std::int64_t>(milliseconds) * kNanosecondsPerMillisecond + static_cast<std::int64_t>(rest);
  return is_negative ? -nanoseconds : nanoseconds;
}

}  // namespace shardcheck::harness
