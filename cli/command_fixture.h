// For tests of the commands: runs one as a user would, in this process or as a program of its own, in a folder that is
// gone afterwards.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/run.h"

namespace shardcheck::cli {

struct CommandOutcome {
  ExitCode exit;
  std::string out;
  std::string errors;
};

inline CommandOutcome command(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv{"shardcheck"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit = run(static_cast<int>(argv.size()), argv.data());
  std::string out = testing::internal::GetCapturedStdout();
  return {static_cast<ExitCode>(exit), std::move(out), testing::internal::GetCapturedStderr()};
}

class Commands : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return path(name);
  }
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  // The exit code of a line of the shell; what it says on standard error is in errors_of_shell().
  int shell(const std::string& line) const {
    const int status = std::system((line + " 2> " + path("shell.errors")).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string errors_of_shell() const { return read(path("shell.errors")); }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("shardcheck_cli_test." + std::to_string(getpid()));
};

inline const std::string kSoundScenario =
    "scenario 1\n"
    "cluster storage_nodes 2 routers 1 clients 2 shards 1 keys 4\n"
    "at 4.8ms move range 0 to 2\n"
    "at 5.6ms client 0 request 32 write 0 7\n";
// A key is deleted, its range moves, and what was deleted does not move with it.
inline const std::string kBrokenScenario =
    "scenario 1\n"
    "cluster storage_nodes 2 routers 1 clients 2 shards 1 keys 4\n"
    "mutant move_no_tombstones\n"
    "at 4ms client 1 request 16 write 1 7\n"
    "at 5ms client 0 request 16 write 0 7\n"
    "at 8ms client 0 request 32 del 0\n"
    "at 15ms move range 0 to 2\n";
// Its last step is eleven days away, which no run gets to.
inline const std::string kEndlessScenario = kSoundScenario + "at 1000000000ms client 0 request 33 read 0\n";

}  // namespace shardcheck::cli
