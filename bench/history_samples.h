// Long histories to measure the checker with, the same ones always: a closed loop of clients, half reads and half
// writes of ever new values, each taking effect at some instant between invocation and return. Linearizable but for the
// stale read, if one is asked for.
#pragma once

#include <cstdint>

#include "histories/history.h"

namespace shardcheck::bench {

struct HistorySample {
  std::uint64_t operations = 0;
  std::uint64_t clients = 64;
  std::uint64_t keys = 1;
  std::uint64_t pending_in_1000 = 0;  // never return, and take effect or not; the client goes on
  std::uint64_t values = 0;           // how many different ones are written; 0: every write has its own
  // One read near the end sees a value that had certainly been overwritten before the read began.
  bool has_stale_read = false;
};

histories::History make_history(const HistorySample& sample);

}  // namespace shardcheck::bench
