// Long histories to measure the checker with, the same ones always: of histories/history_generator.h, and on request
// with values that come again and again.
#pragma once

#include <cstdint>

#include "histories/history.h"

namespace shardcheck::bench {

struct HistorySample {
  std::uint64_t operations = 0;
  std::uint32_t clients = 64;
  std::uint32_t keys = 1;
  std::uint32_t pending_in_1000 = 0;
  std::uint64_t values = 0;  // how many different ones are written; 0: every write has its own
  // One read near the end sees a value that had been overwritten before it began, and, if values come again, hardly
  // ever has been written again since.
  bool has_stale_read = false;
};

histories::History make_history(const HistorySample& sample);

}  // namespace shardcheck::bench
