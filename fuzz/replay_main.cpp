// Runs a fuzz target once on each file given, or on each file of each folder given, in the order of their names. Stands
// in for libFuzzer where the compiler has none: a finding or a seed can be replayed with any build.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Reads the flags of targets that have some; the others do not define it.
extern "C" [[gnu::weak]] int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

constexpr int kUnreadableInput = 3;

bool replay(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) {
    fmt::print(stderr, "{}: cannot be read\n", file.string());
    return false;
  }
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  fmt::print("{}: ran ({} bytes)\n", file.string(), bytes.size());
  return true;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    return {path};
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  if (LLVMFuzzerInitialize != nullptr) {
    LLVMFuzzerInitialize(&argc, &argv);
  }
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with("--")) {
      continue;  // a flag of the target, as for libFuzzer
    }
    const std::vector<std::filesystem::path> more = files_of(argv[i]);
    files.insert(files.end(), more.begin(), more.end());
  }
  if (files.empty()) {
    fmt::print(stderr, "usage: {} FILE_OR_FOLDER...\n", argc > 0 ? argv[0] : "replay");
    return kUnreadableInput;
  }
  bool are_all_readable = true;
  for (const std::filesystem::path& file : files) {
    are_all_readable &= replay(file);
  }
  return are_all_readable ? 0 : kUnreadableInput;
}
