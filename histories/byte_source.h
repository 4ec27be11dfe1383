// The bytes of a file or of a text in memory, unpacked when they are gzip (told by their first two bytes, not by a
// name). Several gzip members in a row are one stream, as gzip says; anything else behind a member is an error.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "spec/error.h"

namespace shardcheck::histories {

class ByteSource {
 public:
  // `text` must live as long as the source.
  static Result<std::unique_ptr<ByteSource>> of_text(std::string_view text);
  // A file that is missing, a directory or not readable is an error.
  static Result<std::unique_ptr<ByteSource>> of_file(const std::filesystem::path& path);

  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Of all its bytes; 0 when that is not known, as of what is packed.
  std::uint64_t length() const { return zip_ == nullptr ? length_ : 0; }
  // The first bytes of what is left, up to so many; they will be read all the same. Errors are left to the reading.
  std::string_view look_ahead(std::size_t count);
  // Fills the front of `out` and returns how much; 0 only at the end. Errors have no place: the caller knows the line.
  Result<std::size_t> read(std::span<char> out);

 private:
  ByteSource() = default;

  Result<std::size_t> read_behind(std::span<char> out);
  Result<std::size_t> read_raw(std::span<char> out);
  Result<void> find_out_whether_packed();
  Result<void> refill_packed();
  Result<std::size_t> read_packed(std::span<char> out);
  Result<bool> start_next_member();

  std::FILE* file_ = nullptr;
  std::string_view text_;
  std::uint64_t length_ = 0;
  std::vector<char> ahead_;      // what was looked at and not read yet,
  std::size_t ahead_start_ = 0;  // from here on
  std::optional<Error> error_ahead_;
  std::vector<char> packed_;       // the part of the raw bytes in hand; before unpacking starts, their first two
  std::size_t packed_start_ = 0;   // what of `packed_` is already used
  std::unique_ptr<z_stream> zip_;  // null when the bytes are plain
  bool is_inside_member_ = false;
};

}  // namespace shardcheck::histories
