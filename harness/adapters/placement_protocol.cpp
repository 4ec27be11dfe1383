#include "harness/adapters/placement_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "spec/placement_case.h"

namespace shardcheck {
namespace {

constexpr std::array<std::pair<std::string_view, Promise>, 3> kPromiseWords{
    {{"none", Promise::none}, {"bound", Promise::within_bound}, {"exactly", Promise::exactly}}};

std::string_view word_of(Promise promise) {
  for (const auto& [word, value] : kPromiseWords) {
    if (value == promise) {
      return word;
    }
  }
  return "none";
}

bool read_promise(std::string_view value, Promise& promise) {
  for (const auto& [word, known] : kPromiseWords) {
    if (word == value) {
      promise = known;
      return true;
    }
  }
  return false;
}

bool read_bool(std::string_view value, bool& flag) {
  flag = value == "yes";
  return value == "yes" || value == "no";
}

bool read_points(std::string_view value, PlacementHello& hello) {
  hello.has_points_as_asked = value == "V";
  const std::optional<std::uint64_t> number = number_of(value);
  hello.promises.points_per_weight = number.value_or(0);
  return hello.has_points_as_asked || number.has_value();
}

bool read_word(std::string_view name, std::string_view value, PlacementHello& hello) {
  if (name == "determinism") {
    return read_promise(value, hello.promises.determinism);
  }
  if (name == "movement") {
    return read_promise(value, hello.promises.movement);
  }
  if (name == "movement_share") {
    return read_promise(value, hello.promises.movement_share);
  }
  if (name == "balance") {
    return read_promise(value, hello.promises.balance);
  }
  if (name == "weights") {
    return read_bool(value, hello.abilities.has_weights);
  }
  if (name == "racks") {
    return read_bool(value, hello.abilities.has_racks);
  }
  if (name == "lists") {
    return read_bool(value, hello.abilities.has_lists);
  }
  if (name == "points") {
    return read_points(value, hello);
  }
  if (name == "golden") {
    const std::optional<std::string> convention = from_word(value);
    hello.promises.golden = convention.value_or("");
    return convention && (convention->empty() || *convention == kGoldenRing);
  }
  if (name == "circle") {
    hello.position_max = number_of(value);
    return hello.position_max.has_value() && *hello.position_max > 0;
  }
  return false;
}

}  // namespace

std::string to_line(const PlacementHello& hello) {
  const auto yes_or_no = [](bool flag) { return flag ? "yes" : "no"; };
  std::string line = fmt::format(
      "ok determinism={} movement={} movement_share={} balance={} weights={} racks={} lists={} points={} golden={}",
      word_of(hello.promises.determinism), word_of(hello.promises.movement), word_of(hello.promises.movement_share),
      word_of(hello.promises.balance), yes_or_no(hello.abilities.has_weights), yes_or_no(hello.abilities.has_racks),
      yes_or_no(hello.abilities.has_lists),
      hello.has_points_as_asked ? "V" : std::to_string(hello.promises.points_per_weight),
      to_word(hello.promises.golden));
  return line + (hello.position_max ? fmt::format(" circle={}", *hello.position_max) : "");
}

Result<void> read_hello(std::string_view answer, PlacementHello& hello) {
  const std::vector<std::string_view> words = words_of_line(answer);
  if (words.empty() || words[0] != "ok") {
    return fail("", "it does not begin with 'ok'");
  }
  std::set<std::string_view> names;
  for (std::size_t index = 1; index < words.size(); ++index) {
    const std::size_t equals = words[index].find('=');
    if (!names.insert(words[index].substr(0, equals)).second) {
      return fail("",
                  fmt::format("it says {} twice", to_word(words[index].substr(0, std::min<std::size_t>(equals, 60)))));
    }
    if (equals == std::string_view::npos ||
        !read_word(words[index].substr(0, equals), words[index].substr(equals + 1), hello)) {
      return fail("", fmt::format("'{}' is not one of determinism|movement|movement_share|balance=none|bound|exactly, "
                                  "weights|racks|lists=yes|no, points=N or V, golden={}, circle=N",
                                  to_word(words[index].substr(0, 60)), kGoldenRing));
    }
  }
  return {};
}

std::optional<std::uint64_t> number_of(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  return problem == std::errc{} && end == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

}  // namespace shardcheck
