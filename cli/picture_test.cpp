// The page that `shardcheck check --html FILE` writes: where it goes, and what is refused before the work.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/command_fixture.h"

namespace shardcheck::cli {
namespace {

const std::string kCorpus = std::string(SHARDCHECK_SOURCE_DIR) + "/histories/corpus/";
const std::string kGood = kCorpus + "redis-client-noasking-1.jsonl.gz";
const std::string kBad = kCorpus + "redis-order-nodefirst-2.jsonl.gz";

// What is written twice has to be searched for.
constexpr std::string_view kTwice =
    R"({"process":0,"type":"invoke","f":"write","key":"k","value":1,"time":1}
{"process":1,"type":"invoke","f":"write","key":"k","value":1,"time":2}
{"process":0,"type":"ok","f":"write","key":"k","value":1,"time":3}
{"process":1,"type":"ok","f":"write","key":"k","value":1,"time":4}
)";

class Picture : public Commands {};

TEST_F(Picture, a_page_is_written_whatever_the_verdict) {
  const std::string twice = write("twice.jsonl", std::string(kTwice));

  EXPECT_EQ(command({"check", kBad, "--html", path("bad.html")}).exit, ExitCode::violated);
  EXPECT_EQ(command({"check", kGood, "--html", path("new/good.html")}).exit, ExitCode::held);
  EXPECT_EQ(command({"check", twice, "--steps", "1", "--html", path("unknown.html")}).exit, ExitCode::undecided);

  EXPECT_NE(read(path("bad.html")).find("\"verdict\":\"not_linearizable\""), std::string::npos);
  EXPECT_NE(read(path("new/good.html")).find("\"verdict\":\"linearizable\""), std::string::npos);
  EXPECT_NE(read(path("unknown.html")).find("it took more steps than --steps allows"), std::string::npos);
}

TEST_F(Picture, the_output_says_where_the_page_is_unless_it_is_for_machines) {
  EXPECT_NE(command({"check", kBad, "--html", path("bad.html")}).out.find("  picture: " + path("bad.html")),
            std::string::npos);
  EXPECT_EQ(command({"check", kBad, "--html", path("bad.html"), "--json"}).out.find("picture"), std::string::npos);
}

TEST_F(Picture, what_cannot_be_written_is_refused_before_the_work) {
  const std::string plain = write("plain", "");

  for (const std::string& file : {path(""), plain + "/in.html", std::string()}) {
    SCOPED_TRACE(file);
    const CommandOutcome outcome = command({"check", kGood, "--html", file});
    EXPECT_EQ(outcome.exit, ExitCode::bad_input);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.errors, "");
  }
  EXPECT_EQ(command({"check", kGood, "--json", "--html", plain + "/in.html"}).exit, ExitCode::bad_input);
}

TEST_F(Picture, a_picture_is_of_one_history_and_never_replaces_it) {
  const CommandOutcome two = command({"check", kGood, kBad, "--html", path("two.html")});
  EXPECT_EQ(two.exit, ExitCode::bad_input);
  EXPECT_NE(two.errors.find("a picture is of one history, and 2 files are given"), std::string::npos);

  const std::string copy = path("copy.jsonl.gz");
  std::filesystem::copy_file(kGood, copy);
  EXPECT_EQ(command({"check", copy, "--html", copy}).exit, ExitCode::bad_input);
  EXPECT_EQ(read(copy), read(kGood));
}

TEST_F(Picture, bad_input_leaves_no_page) {
  const std::string broken = write("broken.jsonl", "{\n");

  EXPECT_EQ(command({"check", broken, "--html", path("broken.html")}).exit, ExitCode::bad_input);

  EXPECT_FALSE(std::filesystem::exists(path("broken.html")));
}

}  // namespace
}  // namespace shardcheck::cli
