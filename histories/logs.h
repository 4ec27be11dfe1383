// Decides keys that are only read and appended to, where every piece that was appended can be told apart in what was
// read: every answer says which appends came before it, and in which order. O(n log n) and linear in what was read.
#pragma once

#include <cstdint>
#include <vector>

#include "histories/decision.h"
#include "histories/key_history.h"
#include "histories/witness.h"

namespace shardcheck::histories {

// Reusable; allocates only while its buffers grow.
class Logs {
 public:
  // Nothing when some piece is the beginning of another or equal to it, or when pieces are not all strings or all
  // lists. The history must be of Structure::log; reads that never returned must be left out.
  MaybeDecision decide(const KeyHistory& history);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // All that happens while the log has one length: the append that made it so, and the reads of it.
  struct Length {
    std::uint64_t units = 0;
    SequenceHash hash;
    std::uint32_t append = kNone;
    std::uint32_t reads = 0;
    std::uint32_t reads_begin = 0;  // into reads_
    Position reads_first_return = kNever;
    Position reads_last_invocation = 0;
  };

  bool collect(const KeyHistory& history);
  template <class Units>
  bool parse_longest(const KeyHistory& history, Units units);
  bool place_reads(const KeyHistory& history);
  Length* length_seen_by(const KeyHistory& history, const KeyOperation& read);
  bool is_in_time(const KeyHistory& history);
  bool put(const KeyHistory& history, TimeCheck& time, Position first_return, Position last_invocation);
  const std::vector<std::uint32_t>& witness(const KeyHistory& history);

  StoredKind kind_ = StoredKind::absent;
  std::uint32_t longest_ = kNone;      // a read of the longest value
  std::vector<std::uint32_t> pieces_;  // appends, in the order of their pieces
  std::vector<bool> is_seen_;          // of each operation: an append whose piece is in the longest value
  std::vector<Length> lengths_;        // growing, from the absence to the longest value
  std::vector<std::uint32_t> reads_;
  std::vector<std::uint32_t> order_;
  Position suspect_ = kNever;
  Witness witness_;
};

}  // namespace shardcheck::histories
