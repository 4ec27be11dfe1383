#include "spec/placement_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "spec/assert.h"

namespace shardcheck {
namespace {

bool is_plain(char byte) { return byte > ' ' && byte <= '~' && byte != '%'; }

// Nothing if the text is not a number from the first to the last character.
template <class Number>
std::optional<Number> to_number(std::string_view text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

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

std::string edit_line(const PlacementEdit& edit) {
  const std::string name = to_word(edit.member.name);
  switch (edit.kind) {
    case EditKind::add: return fmt::format("edit add {} {} {}\n", name, edit.member.weight, to_word(edit.member.rack));
    case EditKind::remove: return fmt::format("edit remove {}\n", name);
    case EditKind::set_weight: return fmt::format("edit set_weight {} {}\n", name, edit.member.weight);
  }
  SHARDCHECK_ASSERT(false);
  return {};
}

// The words of one line, and what the line says once they are understood. Every read_* is false if they are not.
class CaseLine {
 public:
  explicit CaseLine(std::string_view line) {
    while (!line.empty()) {
      const std::size_t space = std::min(line.find(' '), line.size());
      if (space > 0) {
        words_.push_back(line.substr(0, space));
      }
      line.remove_prefix(std::min(space + 1, line.size()));
    }
  }

  bool is_blank() const { return words_.empty() || words_[0].starts_with('#'); }

  bool read_into(PlacementCase& input) const {
    if (is("virtual_nodes", 2)) {
      return read_number(1, input.parameters.virtual_nodes) && input.parameters.virtual_nodes >= 1 &&
             input.parameters.virtual_nodes <= 100'000;
    }
    if (is("position_bits", 2)) {
      return read_number(1, input.parameters.position_bits) && input.parameters.position_bits >= 1 &&
             input.parameters.position_bits <= 32;
    }
    if (is("key", 2)) {
      return read_text(1, input.keys.emplace_back());
    }
    if (is("member", 4)) {
      Member& member = input.members.emplace_back();
      return read_text(1, member.name) && read_number(2, member.weight) && read_text(3, member.rack);
    }
    return read_edit(input.edits) || read_answer(input.answers);
  }

 private:
  bool is(std::string_view keyword, std::size_t words) const { return words_[0] == keyword && words_.size() == words; }
  bool is_second(std::string_view keyword) const { return words_.size() > 2 && words_[1] == keyword; }

  template <class Number>
  bool read_number(std::size_t index, Number& number) const {
    const std::optional<Number> read = to_number<Number>(words_[index]);
    number = read.value_or(Number{});
    return read.has_value();
  }

  bool read_text(std::size_t index, std::string& text) const {
    const std::optional<std::string> read = from_word(words_[index]);
    text = read.value_or("");
    return read.has_value();
  }

  bool read_edit(std::vector<PlacementEdit>& edits) const {
    Member member;
    if (words_[0] != "edit" || words_.size() < 3 || !read_text(2, member.name)) {
      return false;
    }
    if (is_second("remove") && words_.size() == 3) {
      edits.push_back({EditKind::remove, member});
      return true;
    }
    if (is_second("set_weight") && words_.size() == 4 && read_number(3, member.weight)) {
      edits.push_back({EditKind::set_weight, member});
      return true;
    }
    if (is_second("add") && words_.size() == 5 && read_number(3, member.weight) && read_text(4, member.rack)) {
      edits.push_back({EditKind::add, member});
      return true;
    }
    return false;
  }

  bool read_answer(std::vector<GoldenAnswer>& answers) const {
    if (words_[0] != "answer" || words_.size() < 4) {
      return false;
    }
    if (is_second("position") && words_.size() == 4) {
      GoldenPosition answer;
      const bool is_read = read_number(2, answer.position) && read_text(3, answer.member);
      answers.push_back(answer);
      return is_read;
    }
    GoldenList list;
    bool is_read = read_text(2, list.key);
    for (std::size_t index = 3; index < words_.size(); ++index) {
      is_read = read_text(index, list.members.emplace_back()) && is_read;
    }
    if (is_second("owner") && words_.size() == 4) {
      answers.push_back(GoldenOwner{list.key, list.members[0]});
      return is_read;
    }
    answers.push_back(list);
    return is_read && is_second("list");
  }

  std::vector<std::string_view> words_;
};

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
    const std::optional<unsigned char> byte =
        at + 2 < word.size() ? to_number<unsigned char>(word.substr(at + 1, 2), 16) : std::nullopt;
    if (!byte) {
      return std::nullopt;
    }
    text.push_back(static_cast<char>(*byte));
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
  for (const Member& member : input.members) {
    text += fmt::format("member {} {} {}\n", to_word(member.name), member.weight, to_word(member.rack));
  }
  for (const PlacementEdit& edit : input.edits) {
    text += edit_line(edit);
  }
  for (const std::string& key : input.keys) {
    text += fmt::format("key {}\n", to_word(key));
  }
  for (const GoldenAnswer& answer : input.answers) {
    text += std::visit(PrintAnswer{}, answer);
  }
  return text;
}

Result<PlacementCase> parse_placement_case(std::string_view text) {
  PlacementCase input;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const CaseLine line(text.substr(0, end));
    if (!line.is_blank() && !line.read_into(input)) {
      return fail(
          fmt::format("line {}", number),
          fmt::format("'{}' is not a line of a placement case (virtual_nodes, position_bits, member, edit, key, "
                      "answer)",
                      text.substr(0, end)));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return input;
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
