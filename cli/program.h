// How to call this very program from where its user stands, so that a command it prints can be pasted.
#pragma once

#include <filesystem>
#include <string>

namespace shardcheck::cli {

// Relative when it lies below the present folder, absolute otherwise; "shardcheck" when nobody can say.
inline std::string program() {
  std::error_code problem;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  const std::filesystem::path here = std::filesystem::current_path(problem);
  if (problem || self.empty()) {
    return "shardcheck";
  }
  const std::string near = self.lexically_proximate(here).string();
  if (near.starts_with("..")) {
    return self.string();
  }
  return near.find('/') == std::string::npos ? "./" + near : near;
}

}  // namespace shardcheck::cli
