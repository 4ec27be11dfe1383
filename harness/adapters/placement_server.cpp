#include "harness/adapters/placement_server.h"

#include <fmt/format.h>

#include <charconv>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <vector>

#include "harness/adapters/placement_protocol.h"
#include "spec/placement_case.h"

namespace shardcheck {
namespace {

std::string error_line(std::string_view what) {
  std::string line = "error ";
  for (const char byte : what) {
    line.push_back(byte >= ' ' && byte <= '~' ? byte : '?');
  }
  return line;
}

std::string done_or_error(const Result<void>& done) { return done ? "ok" : error_line(done.error().what); }

template <class Names>
std::string names_or_error(const Result<Names>& names) {
  if (!names) {
    return error_line(names.error().what);
  }
  std::string line = "ok";
  for (const std::string_view name : *names) {
    line += " " + to_word(name);
  }
  return line;
}

std::optional<std::int64_t> weight_of(std::string_view word) {
  std::int64_t weight = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), weight);
  return problem == std::errc{} && end == word.data() + word.size() ? std::optional(weight) : std::nullopt;
}

}  // namespace

std::string PlacementServer::answer(std::string_view line) {
  words_ = words_of_line(line);
  texts_.clear();
  for (const std::string_view word : words_) {
    const std::optional<std::string> text = from_word(word);
    if (!text) {
      return error_line("a word with a broken %XX");
    }
    texts_.push_back(*text);
  }
  if (words_.empty()) {
    return error_line("an empty line");
  }
  const std::optional<std::string> done = words_.size() > 1 ? with_arguments() : without_arguments();
  return done ? *done : error_line(fmt::format("not understood: {}", line.substr(0, 60)));
}

std::optional<std::string> PlacementServer::with_arguments() {
  const std::span<const std::string> rest = std::span(texts_).subspan(1);
  if (is("hello", 2)) {
    return hello();
  }
  if (is("reset", 3)) {
    return reset();
  }
  if (is("add", 4)) {
    const std::optional<std::int64_t> weight = weight_of(words_[2]);
    return weight ? done_or_error(placement_->add({texts_[1], *weight, texts_[3]})) : error_line("no weight");
  }
  if (is("remove", 2)) {
    return done_or_error(placement_->remove(texts_[1]));
  }
  if (is("weight", 3)) {
    const std::optional<std::int64_t> weight = weight_of(words_[2]);
    return weight ? done_or_error(placement_->set_weight(texts_[1], *weight)) : error_line("no weight");
  }
  if (is("owner", 2) || words_[0] == "owners") {
    return names_or_error(placement_->owners(rest));
  }
  return with_numbers();
}

std::optional<std::string> PlacementServer::with_numbers() const {
  if (is("position", 2)) {
    const std::optional<std::uint64_t> position = placement_->position_of(texts_[1]);
    return position ? fmt::format("ok {}", *position) : error_line("has no positions");
  }
  const std::optional<std::uint64_t> count = number_of(words_[1]);
  if (is("list", 3) && count) {
    return names_or_error(placement_->preference_list(texts_[2], *count));
  }
  if (words_[0] != "owners_at") {
    return std::nullopt;
  }
  std::vector<std::uint64_t> positions;
  for (const std::string_view word : std::span(words_).subspan(1)) {
    const std::optional<std::uint64_t> position = number_of(word);
    if (!position || *position > placement_->position_max()) {
      return error_line("no position");
    }
    positions.push_back(*position);
  }
  return names_or_error(placement_->owners_at(positions));
}

std::optional<std::string> PlacementServer::without_arguments() const {
  if (words_[0] != "points") {
    return std::nullopt;
  }
  std::string line = "ok";
  for (const PlacementPoint& point : placement_->points()) {
    line += fmt::format(" {}:{}", point.position, to_word(point.member));
  }
  return line;
}

std::string PlacementServer::hello() const {
  PlacementHello hello{.promises = placement_->promises(), .abilities = factory_.abilities, .position_max = {}};
  // Whether the points are as many as asked for shows when more of them are asked for.
  const std::uint64_t one = factory_.make({.virtual_nodes = 1})->promises().points_per_weight;
  const std::uint64_t two = factory_.make({.virtual_nodes = 2})->promises().points_per_weight;
  hello.has_points_as_asked = one == 1 && two == 2;
  if (placement_->position_max() > 0) {
    hello.position_max = placement_->position_max();
  }
  return to_line(hello);
}

std::string PlacementServer::reset() {
  const std::optional<std::uint64_t> virtual_nodes = number_of(words_[1]);
  const std::optional<std::uint64_t> position_bits = number_of(words_[2]);
  if (!virtual_nodes || *virtual_nodes < 1 || *virtual_nodes > 100'000 || !position_bits || *position_bits < 1 ||
      *position_bits > 32) {
    return error_line("virtual nodes in 1..100000 and position bits in 1..32");
  }
  placement_ = factory_.make({.virtual_nodes = static_cast<std::uint32_t>(*virtual_nodes),
                              .position_bits = static_cast<std::uint32_t>(*position_bits)});
  return placement_->position_max() > 0 ? fmt::format("ok circle={}", placement_->position_max()) : "ok";
}

int serve_placement(const PlacementFactory& factory, std::istream& in, std::ostream& out) {
  PlacementServer server(factory);
  std::string line;
  while (std::getline(in, line)) {
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    out << server.answer(line) << '\n' << std::flush;
  }
  return out.good() ? 0 : 1;
}

}  // namespace shardcheck
