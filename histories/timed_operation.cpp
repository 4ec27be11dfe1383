#include "histories/timed_operation.h"

namespace shardcheck::histories {

std::uint64_t ModelReport::steps() const {
  std::uint64_t steps = 0;
  for (const PartitionVerdict& partition : partitions) {
    steps += partition.steps;
  }
  return steps;
}

}  // namespace shardcheck::histories
