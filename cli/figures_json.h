// What a run had to bear, as the documents for machines say it.
#pragma once

#include <nlohmann/json.hpp>

#include "harness/run_figures.h"

namespace shardcheck::cli {

inline nlohmann::json to_json(const harness::RunFigures& figures) {
  return {{"throttled_writes", figures.throttled_writes},
          {"throttled_ns", figures.throttled_for.value},
          {"splits_first", figures.splits_first},
          {"longer_pauses", figures.longer_pauses},
          {"refused_for_load", figures.refused_for_load},
          {"inbox_overflows", figures.inbox_overflows},
          {"nodes_left", figures.nodes_left}};
}

}  // namespace shardcheck::cli
