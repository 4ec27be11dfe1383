// That it may be used from several threads, examples/my_history shows.
#include "histories/recorder.h"

#include <gtest/gtest.h>

#include <string>

#include "histories/history_writer.h"

namespace shardcheck::histories {
namespace {

using enum OperationKind;

TEST(Recorder, records_calls_in_the_order_in_which_they_come) {
  std::int64_t clock = 100;
  Recorder recorder([&clock] { return TrueTime{clock}; });
  const auto write_1 = recorder.begin("a", "k", write, 1);
  const auto append_2 = recorder.begin(7, "log", append, 2);
  clock = 200;
  recorder.ok(write_1);
  recorder.nemesis("cut");
  const auto cas = recorder.begin("a", "k", compare_and_set, "new", 1);
  recorder.refused(cas);
  recorder.unknown(append_2);
  recorder.ok(recorder.begin("a", "k", read), 1);
  std::string text;
  write_json_lines(recorder.history(), text);

  EXPECT_EQ(text, R"({"process":"a","type":"invoke","f":"write","key":"k","value":1,"time":100}
{"process":7,"type":"invoke","f":"append","key":"log","value":[2],"time":101}
{"process":"a","type":"ok","f":"write","key":"k","value":1,"time":200}
{"process":"nemesis","type":"info","f":"cut","key":null,"value":null,"time":201}
{"process":"a","type":"invoke","f":"cas","key":"k","value":[1,"new"],"time":202}
{"process":"a","type":"fail","f":"cas","key":"k","value":[1,"new"],"time":203}
{"process":7,"type":"info","f":"append","key":"log","value":[2],"time":204}
{"process":"a","type":"invoke","f":"read","key":"k","value":null,"time":205}
{"process":"a","type":"ok","f":"read","key":"k","value":1,"time":206}
)");
}

}  // namespace
}  // namespace shardcheck::histories
