#include "histories/byte_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

constexpr std::size_t kPackedBlock = std::size_t{64} << 10U;
constexpr unsigned char kGzipMagic[2] = {0x1f, 0x8b};

bool starts_like_gzip(std::span<const char> bytes) {
  return bytes.size() >= 2 && std::memcmp(bytes.data(), kGzipMagic, 2) == 0;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> ByteSource::of_text(std::string_view text) {
  std::unique_ptr<ByteSource> source(new ByteSource);
  source->text_ = text;
  source->length_ = text.size();
  if (const Result<void> looked = source->find_out_whether_packed(); !looked) {
    return std::unexpected(looked.error());
  }
  return source;
}

Result<std::unique_ptr<ByteSource>> ByteSource::of_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return fail(path.string(), "is a directory, not a history");
  }
  std::unique_ptr<ByteSource> source(new ByteSource);
  source->file_ = std::fopen(path.c_str(), "rb");
  if (source->file_ == nullptr) {
    return fail(path.string(), fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  if (std::filesystem::is_regular_file(path, ignored)) {
    const std::uintmax_t length = std::filesystem::file_size(path, ignored);
    source->length_ = ignored ? 0 : length;
  }
  if (const Result<void> looked = source->find_out_whether_packed(); !looked) {
    return fail(path.string(), looked.error().what);
  }
  return source;
}

ByteSource::~ByteSource() {
  if (zip_ != nullptr) {
    inflateEnd(zip_.get());
  }
  if (file_ != nullptr) {
    std::fclose(file_);
  }
}

Result<std::size_t> ByteSource::read_raw(std::span<char> out) {
  if (file_ != nullptr) {
    const std::size_t count = std::fread(out.data(), 1, out.size(), file_);
    if (count == 0 && std::ferror(file_) != 0) {
      return fail("", fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    return count;
  }
  const std::size_t count = std::min(out.size(), text_.size());
  std::copy_n(text_.begin(), count, out.begin());
  text_.remove_prefix(count);
  return count;
}

Result<void> ByteSource::find_out_whether_packed() {
  packed_.resize(2);
  std::size_t have = 0;
  while (have < 2) {
    const Result<std::size_t> count = read_raw(std::span(packed_).subspan(have));
    if (!count) {
      return std::unexpected(count.error());
    }
    if (*count == 0) {
      break;
    }
    have += *count;
  }
  packed_.resize(have);
  if (!starts_like_gzip(packed_)) {
    return {};
  }
  zip_ = std::make_unique<z_stream>();
  // 16 added to the window size tells zlib that the format is gzip and nothing else.
  const int status = inflateInit2(zip_.get(), 16 + MAX_WBITS);
  SHARDCHECK_ASSERT(status == Z_OK);
  is_inside_member_ = true;
  return {};
}

std::string_view ByteSource::look_ahead(std::size_t count) {
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(ahead_start_));
  ahead_start_ = 0;
  while (ahead_.size() < count && !error_ahead_) {
    const std::size_t have = ahead_.size();
    ahead_.resize(count);
    const Result<std::size_t> more = read_behind(std::span(ahead_).subspan(have));
    ahead_.resize(have + more.value_or(0));
    if (!more) {
      error_ahead_ = more.error();
    } else if (*more == 0) {
      break;
    }
  }
  return {ahead_.data(), ahead_.size()};
}

Result<std::size_t> ByteSource::read(std::span<char> out) {
  SHARDCHECK_ASSERT(!out.empty());
  if (ahead_start_ < ahead_.size()) {
    const std::size_t count = std::min(out.size(), ahead_.size() - ahead_start_);
    std::copy_n(ahead_.data() + ahead_start_, count, out.data());
    ahead_start_ += count;
    return count;
  }
  if (error_ahead_) {
    return std::unexpected(*error_ahead_);
  }
  return read_behind(out);
}

Result<std::size_t> ByteSource::read_behind(std::span<char> out) {
  if (zip_ != nullptr) {
    return read_packed(out);
  }
  if (packed_start_ < packed_.size()) {
    const std::size_t count = std::min(out.size(), packed_.size() - packed_start_);
    std::copy_n(packed_.data() + packed_start_, count, out.data());
    packed_start_ += count;
    return count;
  }
  return read_raw(out);
}

// Moves what is left to the front and reads more behind it; without more input nothing changes.
Result<void> ByteSource::refill_packed() {
  packed_.erase(packed_.begin(), packed_.begin() + static_cast<std::ptrdiff_t>(packed_start_));
  packed_start_ = 0;
  const std::size_t have = packed_.size();
  packed_.resize(have + kPackedBlock);
  const Result<std::size_t> count = read_raw(std::span(packed_).subspan(have));
  packed_.resize(have + count.value_or(0));
  if (!count) {
    return std::unexpected(count.error());
  }
  return {};
}

// False at a clean end of the input.
Result<bool> ByteSource::start_next_member() {
  while (packed_.size() - packed_start_ < 2) {
    const std::size_t have = packed_.size() - packed_start_;
    if (const Result<void> refilled = refill_packed(); !refilled) {
      return std::unexpected(refilled.error());
    }
    if (packed_.size() == have) {
      break;
    }
  }
  if (packed_.size() == packed_start_) {
    return false;
  }
  if (!starts_like_gzip(std::span(packed_).subspan(packed_start_))) {
    return fail("", "something that is not gzip follows the gzip data");
  }
  inflateReset(zip_.get());
  is_inside_member_ = true;
  return true;
}

Result<std::size_t> ByteSource::read_packed(std::span<char> out) {
  const std::size_t size = std::min<std::size_t>(out.size(), std::size_t{1} << 30U);
  while (true) {
    if (!is_inside_member_) {
      const Result<bool> has_more = start_next_member();
      if (!has_more) {
        return std::unexpected(has_more.error());
      }
      if (!*has_more) {
        return std::size_t{0};
      }
    }
    if (packed_start_ == packed_.size()) {
      if (const Result<void> refilled = refill_packed(); !refilled) {
        return std::unexpected(refilled.error());
      }
      if (packed_.empty()) {
        return fail("", "the gzip data ends too early");
      }
    }
    zip_->next_in = reinterpret_cast<unsigned char*>(packed_.data()) + packed_start_;
    zip_->avail_in = static_cast<unsigned>(packed_.size() - packed_start_);
    zip_->next_out = reinterpret_cast<unsigned char*>(out.data());
    zip_->avail_out = static_cast<unsigned>(size);
    const int status = inflate(zip_.get(), Z_NO_FLUSH);
    packed_start_ = packed_.size() - zip_->avail_in;
    is_inside_member_ = status != Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      return fail("", fmt::format("the gzip data is damaged: {}", zip_->msg == nullptr ? "unknown" : zip_->msg));
    }
    const std::size_t count = size - zip_->avail_out;
    if (count != 0) {
      return count;
    }
  }
}

}  // namespace shardcheck::histories
