// Decides keys that are read, appended to and written, where every piece that was written or appended can be told apart
// in what was read: a write begins the log anew. In the time of sorting, and linear in what was read.
#pragma once

#include <cstdint>
#include <vector>

#include "histories/decision.h"
#include "histories/key_history.h"
#include "histories/register_sweep.h"
#include "histories/value_index.h"
#include "histories/witness.h"

namespace shardcheck::histories {

// Reusable; allocates only while its buffers grow.
class WrittenLogs {
 public:
  // Nothing when the history is not of this form: of other operations than these, or some piece is the beginning of
  // another or equal to it, or pieces are not all strings or all lists. Reads that never returned must be left out.
  MaybeDecision decide(const KeyHistory& history);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // What is there after a write or an append, or at the beginning: which change made it so, which came next, and the
  // reads of it.
  struct State {
    std::uint32_t after = kNone;   // the state before: of an append that was seen only
    std::uint32_t before = kNone;  // the append that follows it at once, if that was seen
    std::uint32_t reads = 0;
    std::uint32_t reads_begin = 0;  // into reads_
    Position reads_first_return = kNever;
    Position reads_last_invocation = 0;
    bool is_seen = false;
  };

  bool collect(const KeyHistory& history);
  template <class Units>
  bool place_reads(const KeyHistory& history, Units units);
  template <class Units>
  std::uint32_t state_of(const KeyHistory& history, ValueId value, Units units);
  bool follows(const KeyHistory& history, std::uint32_t state, std::uint32_t change);
  bool join_all(const KeyHistory& history);
  bool join(const KeyHistory& history, std::uint32_t head, SweepItem& joined);
  bool put(const KeyHistory& history, Position first_return, Position last_invocation);
  void gather_reads(const KeyHistory& history);
  void write_out(std::uint32_t head);
  const std::vector<std::uint32_t>& witness(const KeyHistory& history);
  std::uint32_t at_first() const { return static_cast<std::uint32_t>(states_.size() - 1); }

  StoredKind kind_ = StoredKind::absent;
  std::vector<std::uint32_t> pieces_;  // writes and appends, in the order of their pieces
  std::vector<State> states_;          // by the operation that made it; the last one is the absence at first
  ValueIndex index_of_value_;
  std::vector<std::uint32_t> state_of_value_;
  std::vector<SweepItem> items_;
  std::vector<std::uint32_t> heads_;  // of each item: the state with which it begins
  std::vector<std::uint32_t> reads_;  // of states, each state's together, in the order of invocation
  std::vector<std::uint32_t> order_;
  TimeCheck time_;
  Position suspect_ = kNever;
  RegisterSweep sweep_;
  Witness witness_;
};

}  // namespace shardcheck::histories
