// Puts the values of a register in order: blocks, each all operations on one value (or on a chain of values, each set
// from the one before), whose inner order is settled; deletes; and reads of the absence, which any delete can have
// made.
//
// One sweep over the time, in which everything that is not forced is put off. Exact; the argument stands in the .cpp.
// O(n log n) for n items, and linear without deletes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "histories/key_history.h"

namespace shardcheck::histories {

struct SweepItem {
  enum class Kind : std::uint8_t { block, remove, absent_read };

  // Something of the item returns at `deadline`, something of it is invoked at `arrival`, nothing earlier and nothing
  // later. An item with arrival < deadline can take effect as a whole at any instant between. One with
  // deadline < arrival, always a block, takes all the time between for itself: its value is certainly there.
  Position arrival = 0;
  Position deadline = kNever;  // kNever, of a delete: it need not happen
  Kind kind = Kind::block;
};

// Reusable; allocates only while its buffers grow.
class RegisterSweep {
 public:
  // Whether there is an order. No two arrivals or deadlines may be at one position. `begins_absent` tells what was
  // there before all.
  bool run(std::span<const SweepItem> items, bool begins_absent);

  // After an acceptance: the items that take effect, in an order that fits.
  const std::vector<std::uint32_t>& order() const { return order_; }
  // After a refusal: two items that cannot both be served; equal when it is one against all.
  std::pair<std::uint32_t, std::uint32_t> contradiction() const { return contradiction_; }

 private:
  using Waiting = std::pair<Position, std::uint32_t>;  // deadline, item

  void collect_events();
  void arrive(std::uint32_t item);
  bool meet_deadline(std::uint32_t item);
  bool take_zone(std::uint32_t zone);
  bool clear_zone(std::uint32_t zone);
  void take(std::uint32_t item);
  void take_remove(std::uint32_t item);
  void take_waiting_blocks();
  bool use_a_remove();
  bool refuse(std::uint32_t left, std::uint32_t right);

  bool is_zone(std::uint32_t item) const { return items_[item].deadline < items_[item].arrival; }

  std::span<const SweepItem> items_;
  std::vector<std::uint32_t> events_;  // at each position: twice the item, plus 1 for its deadline; or kNothing
  std::vector<bool> is_taken_;
  std::vector<std::uint32_t> order_;
  bool is_absent_ = true;
  std::vector<std::uint32_t> waiting_blocks_;  // have arrived; empty unless absent
  std::vector<std::uint32_t> waiting_reads_;   // of the absence, have arrived; empty when absent
  std::vector<Waiting> removes_;               // have arrived, as a heap; some of them may have been taken since
  std::vector<std::uint32_t> urgent_removes_;  // scratch
  std::pair<std::uint32_t, std::uint32_t> contradiction_;
};

}  // namespace shardcheck::histories
