// Walks over EDN text in memory, form by form (github.com/edn-format/edn). Understands all of EDN to the point of
// knowing where a form ends; what a form says is read by edn_values.h.
//
// The text may be the beginning of a longer one. Where it ends in the middle of something, the walk stops and is_cut()
// is true. No input makes it crash, and nothing nests deeper than a bound.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardcheck::histories {

class EdnCursor {
 public:
  static constexpr int kDepthMax = 64;

  // `is_all`: nothing comes behind the text.
  EdnCursor(std::string_view text, bool is_all)
      : start_(text.data()), at_(text.data()), end_(text.data() + text.size()), is_all_(is_all) {}

  bool is_at_end() const { return at_ == end_; }
  char peek() const { return *at_; }  // not at the end
  std::size_t offset() const { return static_cast<std::size_t>(at_ - start_); }
  std::string_view since(std::size_t offset) const {
    return std::string_view(start_ + offset, static_cast<std::size_t>(at_ - start_) - offset);
  }

  // Blanks, commas, comments, and forms that `#_` discards. True also at the end of the text.
  bool skip_blanks();
  // The character that is next, when it is this one.
  bool take(char c);
  // What stands up to the next delimiter: a name, a keyword, a number. Never empty.
  bool take_token(std::string_view& token);
  // The form that begins here.
  bool skip_form() { return skip_form(0); }
  // The map that begins here: its keys and values in turn, added to `items`.
  bool take_map(std::vector<std::string_view>& items);

  // After something gave false: the text has ended, though more may come; or else what is wrong.
  bool is_cut() const { return is_cut_; }
  const std::string& problem() const { return problem_; }

 private:
  bool skip_form(int depth);
  bool skip_blanks(int depth);
  bool skip_comment();
  bool skip_string();
  bool skip_collection(char close, bool has_pairs, int depth);
  bool skip_after_hash(int depth);
  bool skip_character();
  bool stop_at_end();
  bool stop(std::string problem);

  const char* start_;
  const char* at_;
  const char* end_;
  bool is_all_;
  bool is_cut_ = false;
  std::string problem_;
};

}  // namespace shardcheck::histories
