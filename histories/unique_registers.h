// Decides keys that are only read and written, where no value was written twice and none is the initial absence:
// in the time of sorting, however many operations overlap (Gibbons and Korach, "Testing shared memories", 1997).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "histories/flat_map.h"
#include "histories/key_history.h"
#include "histories/verdict.h"

namespace shardcheck::histories {

// Reusable; allocates only while its buffers grow.
class UniqueRegisters {
 public:
  // Nothing when the history is not of this form. It must have been reduced (reductions.h).
  std::optional<Verdict> decide(const KeyHistory& history);

 private:
  // Of all operations that write or read one value: the first return and the last invocation. If they come in this
  // order, the value is certainly there from the one to the other (a forward zone); if not, all these operations can
  // take effect together, at any instant from the last invocation to the first return (a backward zone).
  struct Zone {
    std::int64_t first_return = kNever;
    std::int64_t last_invocation = -1;
    std::int64_t write_invoked = kNever;  // kNever: nobody wrote it
  };

  // The initial absence was written, and that returned, before position 0.
  static constexpr std::int64_t kBeforeAll = -1;

  bool collect_zones(const KeyHistory& history);
  Zone& zone_of(ValueId value);
  bool do_zones_fit();

  FlatMap index_of_value_;
  std::vector<Zone> zones_;
  std::vector<Zone> forward_;  // in the order of time
};

}  // namespace shardcheck::histories
