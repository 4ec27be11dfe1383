// The part of a source's text that is in memory: what was read and is not used up yet. It grows as far as one line or
// one form needs, within a bound. Behind it lie some readable bytes, as simdjson wants it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "histories/byte_source.h"
#include "histories/read_budget.h"
#include "spec/error.h"

namespace shardcheck::histories {

class TextWindow {
 public:
  // `budget` may be null, and must outlive the use. A line or form that needs a quarter of its memory is too long.
  TextWindow(std::unique_ptr<ByteSource> source, ReadBudget* budget);

  // Valid until more is read.
  std::string_view text() const { return {buffer_.data() + begin_, end_ - begin_}; }
  bool is_at_end() const { return is_at_end_; }  // of the source: no more will come
  void use_up(std::size_t count) {
    begin_ += count;
    used_ += count;
  }
  // How many of something the whole source has, if so many were in what is used up; 0 when its length is not known.
  std::uint64_t expected(std::uint64_t so_far) const;
  // Adds more text behind the present one, as much as there is room for and more than nothing unless the source ends.
  // Errors have no place, and come only when the text before them is used up.
  Result<void> read_more();

 private:
  std::unique_ptr<ByteSource> source_;
  ReadBudget* budget_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_at_end_ = false;
  std::optional<Error> error_;
  std::uint64_t used_ = 0;
};

}  // namespace shardcheck::histories
