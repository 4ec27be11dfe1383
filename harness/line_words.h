// The words of one line of a scenario, read one after the other.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/exact_time.h"
#include "spec/error.h"
#include "spec/types.h"

namespace shardcheck::harness {

// Each take_* removes what it read. The first thing that is wrong is kept, and everything after it
// gives harmless values.
class Words {
 public:
  Words(std::string_view line, std::string where) : where_(std::move(where)) {
    while (!line.empty()) {
      const std::size_t begin = line.find_first_not_of(" \t\r");
      if (begin == std::string_view::npos) {
        break;
      }
      std::size_t end = line.find_first_of(" \t\r", begin);
      if (line[begin] == '[') {
        end = line.find(']', begin);
        end = end == std::string_view::npos ? end : end + 1;
      }
      words_.push_back(line.substr(begin, end - begin));
      line.remove_prefix(end == std::string_view::npos ? line.size() : end);
    }
  }

  bool is_empty() const { return next_ == words_.size(); }
  const std::optional<Error>& error() const { return error_; }
  void refuse(std::string what) {
    if (!error_) {
      error_ = Error{where_, std::move(what)};
    }
  }

  std::string_view word(std::string_view expected) {
    if (is_empty()) {
      refuse(fmt::format("the line ends where {} should be", expected));
      return {};
    }
    return words_[next_++];
  }
  // The next word must be `keyword`.
  void take(std::string_view keyword) {
    const std::string_view found = word(fmt::format("'{}'", keyword));
    if (!error_ && found != keyword) {
      refuse(fmt::format("'{}' stands where '{}' should be", found.substr(0, 40), keyword));
    }
  }
  // Takes the next word if it is `keyword`.
  bool take_if(std::string_view keyword) {
    const bool is_next = !is_empty() && words_[next_] == keyword;
    next_ += is_next ? 1U : 0U;
    return is_next;
  }
  std::int64_t whole_number(std::string_view what, std::int64_t least, std::int64_t most) {
    const std::string_view text = word(what);
    std::int64_t found = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), found);
    if (problem != std::errc{} || end != text.data() + text.size() || found < least || found > most) {
      refuse(
          fmt::format("{} is '{}', but must be a whole number from {} to {}", what, text.substr(0, 40), least, most));
      return least;
    }
    return found;
  }
  Duration time(std::string_view what) {
    const std::string_view text = word(what);
    const auto found = parse_milliseconds(text);
    if (!found) {
      refuse(fmt::format("{} is '{}', but must be a time such as 4.8ms", what, text.substr(0, 40)));
    }
    return Duration{found.value_or(0)};
  }
  // By the name that `name_of` gives it, among the first `count` values of an enum.
  template <class Enum>
  Enum named(std::string_view what, int count) {
    const std::string_view text = word(what);
    for (int i = 0; i < count; ++i) {
      if (name_of(static_cast<Enum>(i)) == text) {
        return static_cast<Enum>(i);
      }
    }
    refuse(fmt::format("'{}' is no {}", text.substr(0, 40), what));
    return Enum{};
  }
  void end() {
    if (!is_empty()) {
      refuse(fmt::format("'{}' stands behind the end of what this line says", words_[next_].substr(0, 40)));
    }
  }

 private:
  std::string where_;
  std::vector<std::string_view> words_;
  std::size_t next_ = 0;
  std::optional<Error> error_;
};

}  // namespace shardcheck::harness
