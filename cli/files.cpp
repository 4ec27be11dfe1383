#include "cli/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

namespace shardcheck::cli {
namespace {

constexpr std::size_t kBytesMax = std::size_t{64} << 20U;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

// Where a link points to, through all links on the way, whether there is anything or not; anything else is itself.
Result<std::filesystem::path> behind_links(const std::string& path) {
  constexpr int kLinksMax = 40;
  std::filesystem::path target(path);
  std::error_code problem;
  for (int links = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(target, problem)); ++links) {
    if (links == kLinksMax) {
      return fail(path, "too many links, one to another");
    }
    target = target.parent_path() / std::filesystem::read_symlink(target, problem);  // an absolute one replaces it
  }
  return target;
}

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
      return fail(path, "the file is larger than 64 MiB, which no scenario and no case is");
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
  const Result<std::filesystem::path> target = behind_links(path);
  if (!target) {
    return std::unexpected<Error>(target.error());
  }
  // A device or a pipe is written to as it is: a new file in its place would take it away from everybody.
  const std::filesystem::file_status there = std::filesystem::status(*target, problem);
  const bool is_replaced = !std::filesystem::exists(there) || std::filesystem::is_regular_file(there);
  const std::string partial = is_replaced ? target->string() + ".partial" : target->string();
  File file(std::fopen(partial.c_str(), "wb"));
  if (!file) {
    return fail(path, std::string("cannot write: ") + std::strerror(errno));
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
  problem.clear();
  if (is_replaced) {
    std::filesystem::rename(partial, *target, problem);
  }
  if (problem) {
    return fail(path, "cannot write: " + problem.message());
  }
  return path;
}

Result<void> check_writable(const std::string& folder) {
  std::error_code problem;
  // What is made on the way is taken away again, from the innermost folder outwards.
  std::vector<std::filesystem::path> made;
  for (std::filesystem::path each(folder); !each.empty() && !std::filesystem::exists(each, problem);
       each = each.parent_path()) {
    made.push_back(each);
  }
  std::string name = "shardcheck.probe";
  while (std::filesystem::exists(std::filesystem::path(folder) / name, problem)) {
    name += "_";  // never somebody else's file
  }
  const Result<std::string> probe = write_text_file(folder, name, "");
  if (probe) {
    std::filesystem::remove(*probe, problem);
  }
  for (const std::filesystem::path& each : made) {
    std::filesystem::remove(each, problem);
  }
  return probe ? Result<void>{} : fail(folder, probe.error().what);
}

Result<void> check_writable_file(const std::string& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) {
    return fail(path, "this is a folder, not a file");
  }
  const Result<std::filesystem::path> target = behind_links(path);
  if (!target) {
    return std::unexpected<Error>(target.error());
  }
  const std::filesystem::file_status there = std::filesystem::status(*target, problem);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
    return {};  // a device or a pipe, of which only writing shows what it takes
  }
  const std::filesystem::path folder = target->parent_path();
  const Result<void> writable = check_writable(folder.empty() ? "." : folder.string());
  return writable ? writable : fail(path, writable.error().what);
}

}  // namespace shardcheck::cli
