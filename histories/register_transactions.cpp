#include "histories/register_transactions.h"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "histories/flat_map.h"

namespace shardcheck::histories {
namespace {

struct Step {
  bool is_write;
  bool is_known;
  std::uint32_t slot;  // of its register
  ValueId value;
};

struct Transaction {
  std::vector<Step> steps;
  TrueTime invoked_at;
  TrueTime returned_at;
  bool must_happen;
};

constexpr TrueTime kNoTime{std::numeric_limits<std::int64_t>::max()};

class TransactionSearch {
 public:
  TransactionSearch(const History& history, const TransactionLimits& limits) : limits_(limits) {
    FlatMap slots;
    for (const RegisterTransaction& recorded : history.transactions) {
      if (recorded.outcome == OutcomeKind::refused) {
        continue;
      }
      const bool has_happened = recorded.outcome == OutcomeKind::ok;
      Transaction transaction{{}, recorded.invoked_at, has_happened ? recorded.returned_at : kNoTime, has_happened};
      for (const RegisterStep& step : recorded.steps) {
        const auto next_slot = static_cast<std::uint32_t>(slots.size());
        const std::uint32_t slot = slots.find_or_insert(step.key.value, next_slot);
        // What a transaction read that may not have happened is not known.
        transaction.steps.push_back({step.is_write, step.is_known && has_happened, slot, step.value});
      }
      left_ += has_happened ? 1 : 0;
      transactions_.push_back(std::move(transaction));
    }
    values_.resize(slots.size());
    done_.resize(transactions_.size());
  }

  TransactionResult run() {
    std::vector<std::size_t> order;
    std::vector<std::vector<ValueId>> values_before;
    std::size_t candidate = 0;
    while (left_ != 0) {
      if (const Shortage lacking = shortage(); lacking != Shortage::none) {
        return {Verdict::undecided, steps_, lacking};
      }
      candidate = next_candidate(candidate);
      if (candidate != transactions_.size()) {
        values_before.push_back(std::exchange(values_, scratch_));
        order.push_back(candidate);
        take(candidate, true);
        candidate = failed_.contains(configuration()) ? give_back(order, values_before) + 1 : 0;
        continue;
      }
      failed_.insert(configuration());
      if (order.empty()) {
        return {Verdict::not_linearizable, steps_, Shortage::none};
      }
      candidate = give_back(order, values_before) + 1;
    }
    return {Verdict::linearizable, steps_, Shortage::none};
  }

 private:
  void take(std::size_t index, bool is_taken) {
    done_[index] = is_taken;
    const std::size_t change = transactions_[index].must_happen ? 1 : 0;
    left_ = is_taken ? left_ - change : left_ + change;
  }

  std::size_t give_back(std::vector<std::size_t>& order, std::vector<std::vector<ValueId>>& values_before) {
    const std::size_t index = order.back();
    order.pop_back();
    values_ = std::move(values_before.back());
    values_before.pop_back();
    take(index, false);
    return index;
  }

  // The first from `first` on that may take effect now, with what it leaves in scratch_; the number of all when there
  // is none. A transaction may be next if none that is left returned before it was invoked.
  std::size_t next_candidate(std::size_t first) {
    TrueTime first_return = kNoTime;
    for (std::size_t i = 0; i < transactions_.size(); ++i) {
      if (!done_[i]) {
        first_return = std::min(first_return, transactions_[i].returned_at);
      }
    }
    for (std::size_t i = first; i < transactions_.size(); ++i) {
      if (!done_[i] && transactions_[i].invoked_at <= first_return) {
        ++steps_;
        if (can_apply(transactions_[i].steps)) {
          return i;
        }
      }
    }
    return transactions_.size();
  }

  bool can_apply(std::span<const Step> steps) {
    scratch_ = values_;
    for (const Step& step : steps) {
      if (step.is_write) {
        scratch_[step.slot] = step.value;
      } else if (step.is_known && scratch_[step.slot] != step.value) {
        return false;
      }
    }
    return true;
  }

  std::vector<std::uint32_t> configuration() const {
    std::vector<std::uint32_t> words((done_.size() + 31) / 32, 0);
    for (std::size_t i = 0; i < done_.size(); ++i) {
      words[i / 32] |= done_[i] ? 1U << (i % 32) : 0U;
    }
    for (const ValueId value : values_) {
      words.push_back(value.value);
    }
    return words;
  }

  Shortage shortage() {
    constexpr std::uint64_t kBytesOfANode = 64;
    const std::uint64_t bytes = failed_.size() * (kBytesOfANode + (done_.size() / 32 + 1 + values_.size()) * 4);
    ++rounds_;
    if (steps_ > limits_.steps_max) {
      return Shortage::steps;
    }
    if (bytes > limits_.memory_bytes_max) {
      return Shortage::memory;
    }
    const bool is_time_to_look = limits_.is_out_of_time != nullptr && rounds_ % 1024 == 0;
    return is_time_to_look && (*limits_.is_out_of_time)() ? Shortage::time : Shortage::none;
  }

  const TransactionLimits& limits_;
  std::vector<Transaction> transactions_;
  std::vector<bool> done_;
  std::vector<ValueId> values_;
  std::vector<ValueId> scratch_;
  std::set<std::vector<std::uint32_t>> failed_;
  std::size_t left_ = 0;  // that must happen yet
  std::uint64_t steps_ = 0;
  std::uint64_t rounds_ = 0;
};

}  // namespace

TransactionResult judge_transactions(const History& history, const TransactionLimits& limits) {
  return TransactionSearch(history, limits).run();
}

}  // namespace shardcheck::histories
