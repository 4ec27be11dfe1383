#include "bench/measure.h"

#include <ctime>

namespace shardcheck::bench {

std::int64_t thread_cpu_ns() {
  timespec now{};
  const int status = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  SHARDCHECK_ASSERT(status == 0);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + std::int64_t{now.tv_nsec};
}

}  // namespace shardcheck::bench
