// Times as text without loss: milliseconds with as many decimals as they need, "4.8ms".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardcheck::harness {

std::string exact_milliseconds(std::int64_t nanoseconds);
// Nothing for anything else, or for what does not fit. At most six decimals; the unit is required.
std::optional<std::int64_t> parse_milliseconds(std::string_view text);

}  // namespace shardcheck::harness
