// For tests: a history told in lines of "process type f value", each at the time of its number; one key, "k".
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "histories/json_lines.h"

namespace shardcheck::histories {

inline History story(const std::vector<std::string>& lines) {
  std::string text;
  int time = 0;
  for (const std::string& line : lines) {
    const std::size_t first = line.find(' ');
    const std::size_t second = line.find(' ', first + 1);
    const std::size_t third = line.find(' ', second + 1);
    text += R"({"process":)" + line.substr(0, first) + R"(,"type":")" + line.substr(first + 1, second - first - 1) +
            R"(","f":")" + line.substr(second + 1, third - second - 1) + R"(","key":"k","value":)" +
            line.substr(third + 1) + R"(,"time":)" + std::to_string(++time) + "}\n";
  }
  Result<History> history = parse_json_lines(text, "story");
  EXPECT_TRUE(history) << to_string(history.error());
  return history ? *std::move(history) : History{};
}

}  // namespace shardcheck::histories
