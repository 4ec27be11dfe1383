// What the flags of several commands have in common.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
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
                                      least == 0 ? std::string("0s") : fmt::format("{:g}ms", least * 1'000));
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
