#include "spec/placement_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "spec/assert.h"

namespace shardcheck {
namespace {

bool is_plain(char byte) { return byte > ' ' && byte <= '~' && byte != '%'; }

struct PrintAnswer {
  std::string operator()(const GoldenOwner& answer) const {
    return fmt::format("answer owner {} {}\n", to_word(answer.key), to_word(answer.member));
  }
  std::string operator()(const GoldenList& answer) const {
    std::string line = fmt::format("answer list {}", to_word(answer.key));
    for (const std::string& member : answer.members) {
      line += " " + to_word(member);
    }
    return line + "\n";
  }
  std::string operator()(const GoldenPosition& answer) const {
    return fmt::format("answer position {} {}\n", answer.position, to_word(answer.member));
  }
};

std::string edit_line(const PlacementEdit& edit, bool is_valid) {
  const std::string_view keyword = is_valid ? "edit" : "refused";
  const std::string name = to_word(edit.member.name);
  switch (edit.kind) {
    case EditKind::add:
      return fmt::format("{} add {} {} {}\n", keyword, name, edit.member.weight, to_word(edit.member.rack));
    case EditKind::remove: return fmt::format("{} remove {}\n", keyword, name);
    case EditKind::set_weight: return fmt::format("{} set_weight {} {}\n", keyword, name, edit.member.weight);
  }
  SHARDCHECK_ASSERT(false);
  return {};
}

}  // namespace

std::string to_word(std::string_view text) {
  if (text.empty()) {
    return "-";
  }
  if (text == "-") {
    return "%2D";
  }
  std::string word;
  for (const char byte : text) {
    if (is_plain(byte)) {
      word.push_back(byte);
    } else {
      word += fmt::format("%{:02X}", static_cast<unsigned char>(byte));
    }
  }
  return word;
}

std::optional<std::string> from_word(std::string_view word) {
  if (word == "-") {
    return std::string();
  }
  std::string text;
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (word[at] != '%') {
      text.push_back(word[at]);
      continue;
    }
    const std::string_view digits = word.substr(at + 1, 2);
    unsigned char byte = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (problem != std::errc{} || digits.size() < 2 || end != digits.data() + digits.size()) {
      return std::nullopt;
    }
    text.push_back(static_cast<char>(byte));
    at += 2;
  }
  return text;
}

std::size_t steps_of(const PlacementCase& input) {
  return input.members.size() + input.edits.size() + input.keys.size() + input.answers.size();
}

std::string to_text(const PlacementCase& input) {
  std::string text = fmt::format("virtual_nodes {}\nposition_bits {}\n", input.parameters.virtual_nodes,
                                 input.parameters.position_bits);
  Membership membership;
  for (const Member& member : input.members) {
    membership.apply({EditKind::add, member});
    text += fmt::format("member {} {} {}\n", to_word(member.name), member.weight, to_word(member.rack));
  }
  for (const PlacementEdit& edit : input.edits) {
    text += edit_line(edit, membership.apply(edit));
  }
  for (const std::string& key : input.keys) {
    text += fmt::format("key {}\n", to_word(key));
  }
  for (const GoldenAnswer& answer : input.answers) {
    text += std::visit(PrintAnswer{}, answer);
  }
  return text;
}

bool Membership::apply(const PlacementEdit& edit) {
  const Member& wanted = edit.member;
  const auto known = members_.find(wanted.name);
  const bool is_weight_valid = wanted.weight >= 1 && wanted.weight <= kWeightMax;
  switch (edit.kind) {
    case EditKind::add:
      return known == members_.end() && is_weight_valid && !wanted.name.empty() &&
             members_.emplace(wanted.name, wanted).second;
    case EditKind::remove:
      if (known == members_.end()) {
        return false;
      }
      members_.erase(known);
      return true;
    case EditKind::set_weight:
      if (known == members_.end() || !is_weight_valid) {
        return false;
      }
      known->second.weight = wanted.weight;
      return true;
  }
  SHARDCHECK_ASSERT(false);
  return false;
}

std::int64_t Membership::weight_total() const {
  std::int64_t total = 0;
  for (const auto& [name, member] : members_) {
    total += member.weight;
  }
  return total;
}

std::vector<PlacementEdit> history_of(const PlacementCase& input) {
  std::vector<PlacementEdit> history;
  for (const Member& member : input.members) {
    history.push_back({EditKind::add, member});
  }
  history.insert(history.end(), input.edits.begin(), input.edits.end());
  return history;
}

Result<void> apply(Placement& placement, const PlacementEdit& edit) {
  switch (edit.kind) {
    case EditKind::add: return placement.add(edit.member);
    case EditKind::remove: return placement.remove(edit.member.name);
    case EditKind::set_weight: return placement.set_weight(edit.member.name, edit.member.weight);
  }
  SHARDCHECK_ASSERT(false);
  return {};
}

std::string to_words(const PlacementEdit& edit) {
  switch (edit.kind) {
    case EditKind::add: return fmt::format("adding '{}' (weight {})", edit.member.name, edit.member.weight);
    case EditKind::remove: return fmt::format("removing '{}'", edit.member.name);
    case EditKind::set_weight:
      return fmt::format("setting the weight of '{}' to {}", edit.member.name, edit.member.weight);
  }
  SHARDCHECK_ASSERT(false);
  return {};
}

std::string to_words(const Membership& membership) {
  std::vector<std::string> words;
  for (const auto& [name, member] : membership.members()) {
    std::string word = fmt::format("'{}'", name);
    word += member.weight == 1 ? "" : fmt::format(" weight {}", member.weight);
    word += member.rack.empty() ? "" : fmt::format(" rack '{}'", member.rack);
    words.push_back(std::move(word));
  }
  return words.empty() ? "no members" : fmt::format("members {}", fmt::join(words, ", "));
}

}  // namespace shardcheck
