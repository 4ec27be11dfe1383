// A test case of placement as data: what to build, how to change it, which keys to ask for. Drawn by a seed, by
// RapidCheck or by a fuzzer; printed, parsed back, shrunk and replayed.
//
//   virtual_nodes 3
//   position_bits 8
//   member A 1 r0            name, weight, rack ("-" is the empty text)
//   edit add B 2 -
//   edit set_weight A 3
//   edit remove B
//   refused remove B         an edit that has to be refused, and changes nothing
//   key user:42
//   answer owner user:42 A   what a golden vector says about the members above
//   answer list user:42 A B
//   answer position 4095 A
//
// What a case says twice or of nobody is a mistake: a second member A, a setting given again, an edit of an unknown
// member. Who means it, because a placement has to refuse it, writes "refused".
//
// A word is printed with %XX for every byte that is not a visible ASCII character, for '%' and for a lone "-".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "spec/placement.h"

namespace shardcheck {

enum class EditKind : std::uint8_t { add, remove, set_weight };

struct PlacementEdit {
  EditKind kind;
  Member member;  // remove uses the name only, set_weight name and weight

  friend bool operator==(const PlacementEdit&, const PlacementEdit&) = default;
};

// Golden answers: for a key the owner or a preference list, or the owner of a position.
struct GoldenOwner {
  std::string key;
  std::string member;

  friend bool operator==(const GoldenOwner&, const GoldenOwner&) = default;
};
struct GoldenList {
  std::string key;
  std::vector<std::string> members;

  friend bool operator==(const GoldenList&, const GoldenList&) = default;
};
struct GoldenPosition {
  std::uint64_t position;
  std::string member;

  friend bool operator==(const GoldenPosition&, const GoldenPosition&) = default;
};
using GoldenAnswer = std::variant<GoldenOwner, GoldenList, GoldenPosition>;

struct PlacementCase {
  PlacementParameters parameters;
  std::vector<Member> members;       // added in this order
  std::vector<PlacementEdit> edits;  // then applied in this order; an edit that is not valid must be refused
  std::vector<std::string> keys;
  std::vector<GoldenAnswer> answers;

  friend bool operator==(const PlacementCase&, const PlacementCase&) = default;
};

// One word of a line, and the text back; nothing if it is no such word.
std::string to_word(std::string_view text);
std::optional<std::string> from_word(std::string_view word);
// The words of a line, as they are written; more than one blank is no word.
std::vector<std::string_view> words_of_line(std::string_view line);

// How large a case is to whoever reads it: members, edits, keys and answers.
std::size_t steps_of(const PlacementCase& input);

inline constexpr std::uint32_t kCaseVirtualNodesMax = 100'000;
inline constexpr std::uint32_t kCasePositionBitsMax = 32;

// The members must be distinct and valid; edits may be anything.
std::string to_text(const PlacementCase& input);
// Fails with "line N" and what was expected there. The first line that is wrong in itself comes before the first edit
// that is not what its keyword says, wherever they stand.
Result<PlacementCase> parse_placement_case(std::string_view text);

// The members that there should be: what every placement is compared with.
class Membership {
 public:
  // Applies the edit and says true, or says false and changes nothing when a placement has to refuse it.
  bool apply(const PlacementEdit& edit);

  const std::map<std::string, Member>& members() const { return members_; }
  std::int64_t weight_total() const;

  friend bool operator==(const Membership&, const Membership&) = default;

 private:
  std::map<std::string, Member> members_;
};

// Members and edits of a case as one sequence of edits.
std::vector<PlacementEdit> history_of(const PlacementCase& input);

Result<void> apply(Placement& placement, const PlacementEdit& edit);

// In plain words: "adding 'B' (weight 2)", "members 'A', 'B' weight 2 rack 'r0'".
std::string to_words(const PlacementEdit& edit);
std::string to_words(const Membership& membership);

}  // namespace shardcheck
