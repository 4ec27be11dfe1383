#include "cli/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace shardcheck::cli {
namespace {

constexpr std::size_t kBytesMax = std::size_t{64} << 20U;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return fail(path, "this is a folder, not a file");
  }
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    return fail(path, std::strerror(errno));
  }
  std::string text;
  char buffer[1 << 16];
  std::size_t count = 0;
  while ((count = std::fread(buffer, 1, sizeof(buffer), file.get())) > 0) {
    text.append(buffer, count);
    if (text.size() > kBytesMax) {
      return fail(path, "the file is larger than 64 MiB, which no scenario is");
    }
  }
  if (std::ferror(file.get()) != 0) {
    return fail(path, std::strerror(errno));
  }
  return text;
}

Result<std::string> write_text_file(const std::string& folder, const std::string& name, std::string_view text) {
  return write_text_file(folder, name, TextPieces([text](const auto& write) { write(text); }));
}

Result<std::string> write_text_file(const std::string& folder, const std::string& name, const TextPieces& pieces) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) {
    return fail(folder, "cannot make this folder: " + problem.message());
  }
  const std::string path = (std::filesystem::path(folder) / name).string();
  // A device or a pipe is written to as it is: a new file in its place would take it away from everybody.
  const std::filesystem::file_status there = std::filesystem::status(path, problem);
  const bool is_replaced = !std::filesystem::exists(there) || std::filesystem::is_regular_file(there);
  const std::string partial = is_replaced ? path + ".partial" : path;
  File file(std::fopen(partial.c_str(), "wb"));
  if (!file) {
    return fail(partial, std::strerror(errno));
  }
  bool is_written = true;
  int why = 0;
  pieces([&](std::string_view piece) {
    if (is_written && std::fwrite(piece.data(), 1, piece.size(), file.get()) != piece.size()) {
      is_written = false;
      why = errno;
    }
  });
  if (std::fclose(file.release()) != 0 || !is_written) {
    const std::string reason = std::strerror(is_written ? errno : why);
    if (is_replaced) {
      std::filesystem::remove(partial, problem);
    }
    return fail(path, "cannot write: " + reason);
  }
  if (is_replaced) {
    std::filesystem::rename(partial, path, problem);
  }
  if (problem) {
    return fail(path, "cannot write: " + problem.message());
  }
  return path;
}

Result<void> check_writable(const std::string& folder) {
  std::error_code problem;
  const bool is_new = !std::filesystem::exists(folder, problem);
  std::string name = "shardcheck.probe";
  while (std::filesystem::exists(std::filesystem::path(folder) / name, problem)) {
    name += "_";  // never somebody else's file
  }
  const Result<std::string> probe = write_text_file(folder, name, "");
  if (!probe) {
    return std::unexpected(probe.error());
  }
  std::filesystem::remove(*probe, problem);
  if (is_new) {
    std::filesystem::remove(folder, problem);
  }
  return {};
}

Result<void> check_writable_file(const std::string& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) {
    return fail(path, "this is a folder, not a file");
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return check_writable(folder.empty() ? "." : folder.string());
}

}  // namespace shardcheck::cli
