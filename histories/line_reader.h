// Cuts the bytes of a source into lines, numbered from 1. Each line is followed in memory by some readable bytes, as
// simdjson wants it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "histories/byte_source.h"
#include "histories/text_window.h"
#include "spec/error.h"

namespace shardcheck::histories {

class LineReader {
 public:
  // A longer line is an error: it is no history, and must not take all memory before we say so.
  static constexpr std::size_t kLineLengthMax = std::size_t{64} << 20U;

  // `name` stands in front of the line number in errors. `budget` may be null, and must outlive the use.
  LineReader(std::unique_ptr<ByteSource> source, std::string name, ReadBudget* budget);

  // The next line without its end; nothing after the last one. Valid until the next call.
  Result<std::optional<std::string_view>> next();

  // How many there will be at all, if the rest is like what was read; 0 when that cannot be said.
  std::uint64_t expected(std::uint64_t so_far) const { return window_.expected(so_far); }
  // Of the line given last.
  std::uint32_t line_number() const { return line_number_; }
  // "name:line" of the line given last; before the first one, "name".
  std::string place() const;

 private:
  TextWindow window_;
  std::string name_;
  std::uint32_t line_number_ = 0;
};

}  // namespace shardcheck::histories
