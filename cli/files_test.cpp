// Files that the commands write.
#include "cli/files.h"

#include <gmock/gmock.h>

#include "cli/command_fixture.h"

namespace shardcheck::cli {
namespace {

using testing::StartsWith;

class Files : public Commands {};

TEST_F(Files, a_link_is_followed_and_stays_a_link) {
  std::filesystem::create_directory(path("elsewhere"));
  write("elsewhere/target", "before");
  std::filesystem::create_symlink("elsewhere/target", path("link"));
  std::filesystem::create_symlink(path("elsewhere/new"), path("dangling"));
  std::filesystem::create_symlink("loop", path("loop"));

  EXPECT_EQ(write_text_file(folder_.string(), "link", "after"), path("link"));
  EXPECT_EQ(write_text_file(folder_.string(), "dangling", "new"), path("dangling"));

  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("dangling")));
  EXPECT_EQ(read(path("elsewhere/target")), "after");
  EXPECT_EQ(read(path("elsewhere/new")), "new");
  EXPECT_FALSE(std::filesystem::exists(path("elsewhere/target.partial")));
  EXPECT_EQ(write_text_file(folder_.string(), "loop", "").error().where, path("loop"));
}

TEST_F(Files, an_error_names_the_file_that_was_asked_for) {
  std::filesystem::create_symlink(path("no_folder/target"), path("link"));

  EXPECT_EQ(check_writable_file("/proc/x").error().where, "/proc/x");
  EXPECT_THAT(check_writable_file("/proc/x").error().what, StartsWith("cannot write: "));
  EXPECT_EQ(check_writable("/proc").error().where, "/proc");
  EXPECT_EQ(write_text_file("/proc", "x", "").error().where, "/proc/x");
  EXPECT_EQ(write_text_file(folder_.string(), "link", "").error().where, path("link"));
}

TEST_F(Files, asking_leaves_nothing_behind) {
  write("file", "kept");

  EXPECT_TRUE(check_writable(path("a/b/c")));
  EXPECT_TRUE(check_writable_file(path("d/e")));
  EXPECT_TRUE(check_writable_file(path("file")));
  EXPECT_TRUE(check_writable_file("/dev/null"));
  EXPECT_FALSE(check_writable(path("file/a/b")));

  EXPECT_EQ(read(path("file")), "kept");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  EXPECT_FALSE(std::filesystem::exists("/dev/shardcheck.probe"));
}

}  // namespace
}  // namespace shardcheck::cli
