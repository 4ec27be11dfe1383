#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "spec/placement_case.h"

namespace shardcheck {
namespace {

constexpr std::size_t kShownBytesMax = 80;  // of a line that is quoted

// As the line stands, without what a terminal would obey.
std::string quoted(std::string_view text) {
  std::string shown = "'";
  for (const char byte : text.substr(0, kShownBytesMax)) {
    const bool is_visible = byte >= ' ' && byte <= '~';
    shown += is_visible ? std::string(1, byte) : fmt::format("%{:02X}", static_cast<unsigned char>(byte));
  }
  return shown + (text.size() > kShownBytesMax ? "...'" : "'");
}

// Errors of one line have no place yet.
template <class Number>
Result<void> read_number(std::string_view word, std::string_view what, Number least, Number most, Number& number) {
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool is_right = problem == std::errc{} && end == word.data() + word.size() && number >= least && number <= most;
  return is_right ? Result<void>{}
                  : fail("", fmt::format("{} must be a whole number from {} to {}, not {}", what, least, most,
                                         quoted(word)));
}

Result<void> read_word(std::string_view word, std::string& text) {
  const std::optional<std::string> read = from_word(word);
  text = read.value_or("");
  return read ? Result<void>{} : fail("", fmt::format("{} has a '%' without two digits behind it", quoted(word)));
}

// The first that failed.
Result<void> all_of(std::initializer_list<Result<void>> results) {
  for (const Result<void>& result : results) {
    if (!result) {
      return result;
    }
  }
  return {};
}

constexpr std::int64_t kAnyMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kAnyMax = std::numeric_limits<std::int64_t>::max();

struct EditLine {
  PlacementEdit edit;
  bool is_valid;  // what the line says: "edit", or "refused"
  std::size_t number;
};

class CaseReader {
 public:
  Result<PlacementCase> read(std::string_view text) {
    for (std::size_t number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      line.remove_suffix(line.ends_with('\r') ? 1 : 0);
      words_ = words_of_line(line);
      if (!words_.empty() && !words_[0].starts_with('#')) {
        if (const Result<void> read = read_line(line, number); !read) {
          return fail(fmt::format("line {}", number), read.error().what);
        }
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (const Result<void> right = check_edits(); !right) {
      return std::unexpected<Error>(right.error());
    }
    return input_;
  }

 private:
  bool is(std::string_view keyword, std::size_t words) const { return words_[0] == keyword && words_.size() == words; }
  bool is_second(std::string_view verb, std::size_t words) const { return words_[1] == verb && words_.size() == words; }

  Result<void> read_line(std::string_view line, std::size_t number) {
    if (is("virtual_nodes", 2)) {
      return read_setting(kCaseVirtualNodesMax, has_virtual_nodes_, input_.parameters.virtual_nodes);
    }
    if (is("position_bits", 2)) {
      return read_setting(kCasePositionBitsMax, has_position_bits_, input_.parameters.position_bits);
    }
    if (is("key", 2)) {
      return read_word(words_[1], input_.keys.emplace_back());
    }
    if (is("member", 4)) {
      return read_member();
    }
    if (words_.size() > 2 && (words_[0] == "edit" || words_[0] == "refused")) {
      return read_edit(line, number);
    }
    return words_.size() > 3 && words_[0] == "answer" ? read_answer(line) : unknown(line);
  }

  static std::unexpected<Error> unknown(std::string_view line) {
    return fail("", fmt::format("{} is not a line of a placement case (virtual_nodes N, position_bits N, member NAME "
                                "WEIGHT RACK, edit or refused: add NAME WEIGHT RACK, remove NAME, set_weight NAME "
                                "WEIGHT; key KEY, answer)",
                                quoted(line)));
  }

  Result<void> read_setting(std::uint32_t most, bool& is_given, std::uint32_t& setting) const {
    if (std::exchange(is_given, true)) {
      return fail("", fmt::format("{} is given a second time", words_[0]));
    }
    return read_number(words_[1], words_[0], std::uint32_t{1}, most, setting);
  }

  Result<void> read_member() {
    Member member;
    Result<void> read =
        all_of({read_word(words_[1], member.name),
                read_number(words_[2], "the weight of a member", std::int64_t{1}, kWeightMax, member.weight),
                read_word(words_[3], member.rack)});
    if (!read) {
      return read;
    }
    if (member.name.empty()) {
      return fail("", "a member must have a name");
    }
    if (!membership_.apply({EditKind::add, member})) {
      return fail("", fmt::format("there is a member {} already", to_word(member.name)));
    }
    input_.members.push_back(std::move(member));
    return {};
  }

  Result<void> read_edit(std::string_view line, std::size_t number) {
    const bool is_valid = words_[0] == "edit";
    PlacementEdit edit{EditKind::remove, {}};
    // A weight out of bounds is for a placement to refuse, if the line says so.
    const std::int64_t least = is_valid ? 1 : kAnyMin;
    const std::int64_t most = is_valid ? kWeightMax : kAnyMax;
    Result<void> read = read_word(words_[2], edit.member.name);
    if (is_second("set_weight", 4)) {
      edit.kind = EditKind::set_weight;
      read = all_of({read, read_number(words_[3], "a weight", least, most, edit.member.weight)});
    } else if (is_second("add", 5)) {
      edit.kind = EditKind::add;
      read = all_of({read, read_number(words_[3], "a weight", least, most, edit.member.weight),
                     read_word(words_[4], edit.member.rack)});
    } else if (!is_second("remove", 3)) {
      return unknown(line);
    }
    edits_.push_back({edit, is_valid, number});
    return read;
  }

  Result<void> read_answer(std::string_view line) {
    if (is_second("position", 4)) {
      GoldenPosition answer;
      const Result<void> read = all_of({read_number(words_[2], "a position", std::uint64_t{0},
                                                    std::numeric_limits<std::uint64_t>::max(), answer.position),
                                        read_word(words_[3], answer.member)});
      input_.answers.emplace_back(answer);
      return read;
    }
    GoldenList list;
    Result<void> read = read_word(words_[2], list.key);
    for (std::size_t index = 3; index < words_.size(); ++index) {
      read = all_of({read, read_word(words_[index], list.members.emplace_back())});
    }
    if (is_second("owner", 4)) {
      input_.answers.emplace_back(GoldenOwner{list.key, list.members[0]});
      return read;
    }
    input_.answers.emplace_back(list);
    return words_[1] == "list" ? read : unknown(line);
  }

  // Whether each edit is one that has to be refused depends on all members, also on those further below.
  Result<void> check_edits() {
    for (const EditLine& line : edits_) {
      const bool is_known = membership_.members().contains(line.edit.member.name);
      input_.edits.push_back(line.edit);
      if (membership_.apply(line.edit) == line.is_valid) {
        continue;
      }
      const std::string why = line.edit.member.name.empty() ? "a member must have a name"
                              : is_known ? fmt::format("there is a member {} already", to_word(line.edit.member.name))
                                         : fmt::format("there is no member {}", to_word(line.edit.member.name));
      return fail(fmt::format("line {}", line.number),
                  line.is_valid
                      ? why + " at this point; begin the line with 'refused' if the placement has to refuse this"
                      : "nothing is wrong with this edit; begin the line with 'edit' instead of 'refused'");
    }
    return {};
  }

  PlacementCase input_;
  Membership membership_;
  std::vector<EditLine> edits_;
  std::vector<std::string_view> words_;
  bool has_virtual_nodes_ = false;
  bool has_position_bits_ = false;
};

}  // namespace

std::vector<std::string_view> words_of_line(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t space = std::min(line.find(' '), line.size());
    if (space > 0) {
      words.push_back(line.substr(0, space));
    }
    line.remove_prefix(std::min(space + 1, line.size()));
  }
  return words;
}

Result<PlacementCase> parse_placement_case(std::string_view text) { return CaseReader().read(text); }

}  // namespace shardcheck
