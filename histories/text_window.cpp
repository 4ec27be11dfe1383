#include "histories/text_window.h"

#include <simdjson.h>

#include <cstring>
#include <span>
#include <utility>

namespace shardcheck::histories {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10U;

}  // namespace

TextWindow::TextWindow(std::unique_ptr<ByteSource> source, ReadBudget* budget)
    : source_(std::move(source)), budget_(budget), buffer_(kBlock + simdjson::SIMDJSON_PADDING) {}

std::uint64_t TextWindow::expected(std::uint64_t so_far) const {
  const std::uint64_t length = source_->length();
  return used_ == 0 ? 0
                    : static_cast<std::uint64_t>(static_cast<double>(so_far) * static_cast<double>(length) /
                                                 static_cast<double>(used_));
}

Result<void> TextWindow::read_more() {
  if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t had = end_;
  std::size_t room = buffer_.size() - simdjson::SIMDJSON_PADDING;
  if (end_ == room) {
    room *= 2;
    if (budget_ != nullptr && room > budget_->memory_bytes_max / 4) {
      budget_->shortage = Shortage::memory;
      return fail("", "reading it takes more memory than is allowed");
    }
    buffer_.resize(room + simdjson::SIMDJSON_PADDING);
  }
  if (error_) {
    return std::unexpected(*error_);
  }
  // Whoever asked looks at all of it again, so that small helpings would cost a lot.
  while (end_ != room && !is_at_end_) {
    const Result<std::size_t> count = source_->read(std::span(buffer_).subspan(end_, room - end_));
    if (!count) {
      error_ = count.error();
      break;
    }
    end_ += *count;
    is_at_end_ = *count == 0;
  }
  return error_ && end_ == had ? Result<void>(std::unexpected(*error_)) : Result<void>();
}

}  // namespace shardcheck::histories
