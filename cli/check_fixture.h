// What the tests of shardcheck check share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_fixture.h"

namespace shardcheck::cli {

inline const std::string kHistories = std::string(SHARDCHECK_SOURCE_DIR) + "/histories/";
inline const std::string kGood = kHistories + "corpus/redis-client-noasking-1.jsonl.gz";
inline const std::string kBad = kHistories + "corpus/redis-order-nodefirst-2.jsonl.gz";
inline const std::string kBroken = kHistories + "testdata/truncated.jsonl";

constexpr std::string_view kStale =
    R"({"process":0,"type":"invoke","f":"write","key":"k","value":1,"time":1000000}
{"process":0,"type":"ok","f":"write","key":"k","value":1,"time":2000000}
{"process":0,"type":"invoke","f":"write","key":"k","value":2,"time":3000000}
{"process":0,"type":"ok","f":"write","key":"k","value":2,"time":4000000}
{"process":1,"type":"invoke","f":"read","key":"k","value":null,"time":6000000}
{"process":1,"type":"ok","f":"read","key":"k","value":1,"time":7000000}
)";

inline CommandOutcome check(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "check");
  return command(arguments);
}

}  // namespace shardcheck::cli
