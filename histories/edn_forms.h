// The maps of a history in EDN, one after another, from a file of any size: a map a line, or all of them in one vector
// or list.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "histories/byte_source.h"
#include "histories/text_window.h"
#include "spec/error.h"

namespace shardcheck::histories {

class EdnForms {
 public:
  // A longer map is an error, before it takes all memory.
  static constexpr std::size_t kFormLengthMax = std::size_t{64} << 20U;

  // `budget` may be null, and must outlive the use.
  EdnForms(std::unique_ptr<ByteSource> source, std::string name, ReadBudget* budget,
           std::size_t form_length_max = kFormLengthMax);

  // The next map: the texts of its keys and values in turn; nothing after the last one. Valid until the next call. A
  // tag in front of a map is left out.
  Result<std::optional<std::span<const std::string_view>>> next();
  // How many there will be at all, if the rest is like what was read; 0 when that cannot be said.
  std::uint64_t expected(std::uint64_t so_far) const { return window_.expected(so_far); }

  // Of the map given last: the line on which it begins, but always more than that of the map before, so that maps of
  // one line can be told apart.
  std::uint32_t line_number() const { return number_; }
  std::string place() const;

 private:
  enum class Where : std::uint8_t { at_top, in_collection, behind_collection };
  enum class Found : std::uint8_t { map, end, something, nothing_yet, wrong };

  Found look();
  Found enter_or_leave(char c);
  Found wrong(std::string what);
  void use_up(std::size_t count);
  std::string place_here() const;

  TextWindow window_;
  std::string name_;
  std::size_t form_length_max_;
  Where where_ = Where::at_top;
  char close_ = ']';
  std::string what_is_wrong_;
  std::vector<std::string_view> items_;
  std::size_t length_ = 0;  // of the map found
  bool has_maps_ = false;
  std::uint64_t line_ = 1;  // on which the window's text begins
  std::uint32_t number_ = 0;
};

}  // namespace shardcheck::histories
