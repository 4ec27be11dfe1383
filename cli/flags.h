// What the flags of several commands have in common.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace shardcheck::cli {

// Digits only, at least `least`. Without it the parser takes -1 for the largest number, and the work never ends.
inline CLI::Validator whole_number_from(std::uint64_t least) {
  return CLI::Validator(
      [least](std::string& text) {
        std::uint64_t found = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), found);
        const bool is_right = problem == std::errc{} && end == text.data() + text.size() && found >= least;
        return is_right ? std::string() : fmt::format("'{}' must be a whole number from {} on", text, least);
      },
      "");
}

// Text that does not look like a whole number which is too big to be one.
inline CLI::Validator no_number_that_is_too_big() {
  return CLI::Validator(
      [](std::string& text) {
        std::int64_t found = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), found);
        const bool is_too_big = problem == std::errc::result_out_of_range && end == text.data() + text.size();
        return is_too_big ? fmt::format("'{}' is beyond a whole number of 64 bits", text) : std::string();
      },
      "");
}

// A number within these bounds. The parser's own range lets "nan" pass, which compares with nothing.
inline CLI::Validator number_between(double least, double most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        double found = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), found);
        const bool is_right =
            problem == std::errc{} && end == text.data() + text.size() && found >= least && found <= most;
        return is_right ? std::string() : fmt::format("'{}' must be a number from {} to {}", text, least, most);
      },
      "");
}

// Makes seconds of a time such as 500ms; a bare number is seconds.
inline CLI::Validator as_seconds() {
  return CLI::AsNumberWithUnit(
      std::map<std::string, double>{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}});
}

// A time, after the parser has made seconds of it. The parser's own check prints a range of 309 digits.
inline CLI::Validator seconds_from(double least) {
  return CLI::Validator(
      [least](std::string& text) {
        constexpr double kMost = 1'000 * 3'600.0;
        double found = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), found);
        const bool is_right =
            problem == std::errc{} && end == text.data() + text.size() && found >= least && found <= kMost;
        return is_right ? std::string()
                        : fmt::format("it must be a time such as 60s, from {} to 1000h",
                                      least == 0       ? std::string("0s")
                                      : least < 0.0005 ? fmt::format("{:g}ns", least * 1e9)
                                                       : fmt::format("{:g}ms", least * 1'000));
      },
      "");
}

// A size in bytes with a unit, as the parser's AsSizeValue takes it, of at most 16 EiB less one: of a larger number the
// parser makes some other one.
inline CLI::Validator size_in_bytes() {
  return CLI::Validator(
      [](std::string& text) {
        constexpr double kLeastTooLarge = 18'446'744'073'709'551'616.0;
        double found = 0;
        const char* const text_end = text.data() + text.size();
        const auto [end, problem] = std::from_chars(text.data(), text_end, found);
        const std::string unit = CLI::detail::to_lower(CLI::detail::trim_copy(std::string(end, text_end)));
        const std::size_t power = unit.empty() ? 0 : std::string_view("_kmgtpe").find(unit.front());
        const double factor = power == std::string_view::npos ? 1 : std::pow(1024.0, static_cast<double>(power));
        const bool is_right = problem == std::errc{} && found >= 0 && found * factor < kLeastTooLarge;
        return is_right ? std::string() : fmt::format("'{}' must be a size such as 512MiB, below 16EiB", text);
      },
      "");
}

// An empty name or path is a mistake of whoever wrote the command, never a way to leave the flag out.
inline CLI::Validator not_empty() {
  return CLI::Validator([](std::string& text) { return std::string(text.empty() ? "it is empty" : ""); }, "");
}

// "1 step", "2 steps".
inline std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace shardcheck::cli
