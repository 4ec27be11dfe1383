#include "bench/promises.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

namespace shardcheck::bench {

// Generated from promises.tsv when this is configured.
extern const std::string_view kPromisesText;

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator, start)) {
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

}  // namespace

Result<std::vector<SpeedPromise>> parse_promises(std::string_view text, std::string_view file) {
  std::vector<SpeedPromise> rows;
  int line_number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++line_number;
    if (line_number == 1 || line.empty()) {
      continue;
    }
    const std::string where = fmt::format("{}:{}", file, line_number);
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields.size() != 4) {
      return fail(where, fmt::format("has {} fields; name, what, against and bar are needed", fields.size()));
    }
    double bar = 0;
    const auto [end, status] = std::from_chars(fields[3].data(), fields[3].data() + fields[3].size(), bar);
    if (status != std::errc() || end != fields[3].data() + fields[3].size() || !std::isfinite(bar) || bar <= 0) {
      return fail(where, fmt::format("the bar is \"{}\", not a number above 0", fields[3]));
    }
    for (const SpeedPromise& earlier : rows) {
      if (earlier.name == fields[0]) {
        return fail(where, fmt::format("\"{}\" is there twice", fields[0]));
      }
    }
    rows.push_back({.name = std::string(fields[0]),
                    .what = std::string(fields[1]),
                    .against = std::string(fields[2]),
                    .bar = bar});
  }
  return rows;
}

const std::vector<SpeedPromise>& promises() {
  static const std::vector<SpeedPromise> rows = [] {
    Result<std::vector<SpeedPromise>> parsed = parse_promises(kPromisesText, "bench/promises.tsv");
    SHARDCHECK_ASSERT(parsed.has_value());
    return *parsed;
  }();
  return rows;
}

PromiseOutcome judge_promise(const SpeedPromise& promise, Measure measure) {
  if (measure == nullptr) {
    return {.promise = promise, .verdict = PromiseVerdict::unmeasured};
  }
  const Result<Ratio> measured = measure();
  if (!measured) {
    return {.promise = promise, .verdict = PromiseVerdict::unmeasured, .why_not = to_string(measured.error())};
  }
  const Ratio ratio = *measured;
  const bool is_held = ratio.speedup() >= promise.bar;  // also false when nothing was measured: 0 / 0
  return {.promise = promise, .verdict = is_held ? PromiseVerdict::held : PromiseVerdict::fell_short, .ratio = ratio};
}

}  // namespace shardcheck::bench
