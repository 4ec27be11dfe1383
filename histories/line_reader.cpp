#include "histories/line_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

namespace shardcheck::histories {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20U;

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)), buffer_(kBlock + simdjson::SIMDJSON_PADDING) {}

std::string LineReader::place() const { return fmt::format("{}:{}", name_, line_number_); }

// False at the end of the source.
Result<bool> LineReader::read_more() {
  if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t room = buffer_.size() - simdjson::SIMDJSON_PADDING;
  if (end_ == room) {
    buffer_.resize(room * 2 + simdjson::SIMDJSON_PADDING);
  }
  const Result<std::size_t> count =
      source_->read(std::span(buffer_).subspan(end_, buffer_.size() - simdjson::SIMDJSON_PADDING - end_));
  if (!count) {
    return fail(fmt::format("{}:{}", name_, line_number_ + 1), count.error().what);
  }
  end_ += *count;
  return *count != 0;
}

Result<std::optional<std::string_view>> LineReader::next() {
  std::size_t searched = 0;
  while (true) {
    const char* start = buffer_.data() + begin_;
    const std::size_t have = end_ - begin_;
    const void* line_end = std::memchr(start + searched, '\n', have - searched);
    const std::size_t length =
        line_end != nullptr ? static_cast<std::size_t>(static_cast<const char*>(line_end) - start) : have;
    if (length > kLineLengthMax) {
      return fail(fmt::format("{}:{}", name_, line_number_ + 1),
                  fmt::format("the line is longer than {} MiB", kLineLengthMax >> 20U));
    }
    if (line_end != nullptr || (is_at_end_ && have != 0)) {
      if (line_number_ == std::numeric_limits<std::uint32_t>::max()) {
        return fail(name_, "has more lines than can be counted");
      }
      ++line_number_;
      begin_ += length + (line_end != nullptr ? 1 : 0);
      return std::string_view(start, length);
    }
    if (is_at_end_) {
      return std::nullopt;
    }
    searched = have;
    const Result<bool> has_more = read_more();
    if (!has_more) {
      return std::unexpected(has_more.error());
    }
    is_at_end_ = !*has_more;
  }
}

}  // namespace shardcheck::histories
