#include "histories/line_reader.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace shardcheck::histories {

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::string name, ReadBudget* budget)
    : window_(std::move(source), budget), name_(std::move(name)) {}

std::string LineReader::place() const { return line_number_ == 0 ? name_ : fmt::format("{}:{}", name_, line_number_); }

Result<std::optional<std::string_view>> LineReader::next() {
  std::size_t searched = 0;
  while (true) {
    const std::string_view text = window_.text();
    const std::size_t line_end = text.find('\n', searched);
    const bool is_ended = line_end != std::string_view::npos;
    const std::string_view line = text.substr(0, line_end);
    if (line.size() > kLineLengthMax) {
      return fail(fmt::format("{}:{}", name_, line_number_ + 1),
                  fmt::format("the line is longer than {} MiB", kLineLengthMax >> 20U));
    }
    if (is_ended || (window_.is_at_end() && !line.empty())) {
      if (line_number_ == std::numeric_limits<std::uint32_t>::max()) {
        return fail(name_, "has more lines than can be counted");
      }
      ++line_number_;
      window_.use_up(line.size() + (is_ended ? 1 : 0));
      return line;
    }
    if (window_.is_at_end()) {
      return std::nullopt;
    }
    searched = text.size();
    if (const Result<void> more = window_.read_more(); !more) {
      return fail(fmt::format("{}:{}", name_, line_number_ + 1), more.error().what);
    }
  }
}

}  // namespace shardcheck::histories
