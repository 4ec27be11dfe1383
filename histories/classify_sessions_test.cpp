// What each process sees, against trying every order of the writes: where sequential consistency does not hold, its
// reads go backwards, or miss its own writes, exactly where no order that time allows lets them do otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "histories/classify_fixture.h"
#include "histories/history_writer.h"
#include "histories/random_history.h"

namespace shardcheck::histories {
namespace {

using enum OperationKind;

// Of a register in which every write has a value of its own.
class OrdersOfWrites {
 public:
  explicit OrdersOfWrites(const History& history) : history_(history) {
    for (const RecordedOperation& operation : history.operations) {
      if (operation.kind == write) {
        writes_.push_back(&operation);
      }
      processes_.push_back(operation.process);
    }
    std::ranges::sort(processes_);
    processes_.erase(std::ranges::unique(processes_).begin(), processes_.end());
  }

  Holds have_monotonic_reads() {
    return for_each_process([this](ValueId process) { return is_monotonic(process); });
  }
  Holds read_their_writes() {
    return for_each_process([this](ValueId process) { return sees_its_writes(process); });
  }

 private:
  template <class IsRight>
  Holds for_each_process(IsRight is_right) {
    const bool all = std::ranges::all_of(processes_, [&](ValueId process) {
      std::ranges::sort(writes_);
      do {
        if (is_in_time(process) && is_right(process)) {
          return true;
        }
      } while (std::ranges::next_permutation(writes_).found);
      return false;
    });
    return all ? Holds::yes : Holds::no;
  }

  // The process's own writes are in its order, even where the clock stood still between them.
  bool is_in_time(ValueId process) const {
    for (std::size_t i = 0; i < writes_.size(); ++i) {
      for (std::size_t j = i + 1; j < writes_.size(); ++j) {
        const bool are_own = writes_[i]->process == process && writes_[j]->process == process;
        if (writes_[j]->returned_at < writes_[i]->invoked_at || (are_own && writes_[j] < writes_[i])) {
          return false;
        }
      }
    }
    return true;
  }

  // 0 of what is absent; nothing of what nobody had asked to write by then.
  std::optional<std::size_t> place_of(const RecordedOperation& read) const {
    if (read.observed == kAbsent) {
      return 0;
    }
    const auto found = std::ranges::find(writes_, read.observed, &RecordedOperation::argument);
    return found == writes_.end() || (*found)->invoked_at > read.returned_at
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - writes_.begin()) + 1);
  }

  bool is_monotonic(ValueId process) const {
    std::size_t newest = 0;
    for (const RecordedOperation& operation : history_.operations) {
      const bool is_read = operation.process == process && operation.kind == read;
      if (const std::optional<std::size_t> place = is_read ? place_of(operation) : std::nullopt) {
        if (*place < newest) {
          return false;
        }
        newest = *place;
      }
    }
    return true;
  }

  bool sees_its_writes(ValueId process) const {
    std::size_t newest = 0;
    for (const RecordedOperation& operation : history_.operations) {
      if (operation.process != process) {
        continue;
      }
      if (operation.kind == write) {
        const auto own = std::ranges::find(writes_, &operation);
        newest = std::max(newest, static_cast<std::size_t>(own - writes_.begin()) + 1);
      } else if (const std::optional<std::size_t> place = place_of(operation); place && *place < newest) {
        return false;
      }
    }
    return true;
  }

  const History& history_;
  std::vector<const RecordedOperation*> writes_;
  std::vector<ValueId> processes_;
};

TEST(ClassifySessions, agree_with_trying_every_order_of_the_writes) {
  HistoryBuilder builder;
  std::uint64_t backwards = 0;
  std::uint64_t missed = 0;
  std::uint64_t neither = 0;
  const std::uint64_t wanted = random_histories_wanted(20'000);
  for (std::uint64_t seed = 1; seed <= wanted; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomNumbers random(seed);
    make_random_history(
        random, {.kinds = {read, read, write}, .operations_max = 9, .values = 0, .pending_one_in = 1'000'000'000},
        builder);
    const History& history = builder.history();
    if (std::ranges::any_of(history.operations,
                            [](const RecordedOperation& operation) { return operation.outcome != OutcomeKind::ok; })) {
      continue;
    }
    const Classification found = classify(history, key_of(history));
    if (found.is_sequential != Holds::no) {
      continue;
    }
    OrdersOfWrites orders(history);
    std::string text;
    write_json_lines(history, text);
    SCOPED_TRACE(text);
    ASSERT_EQ(found.has_monotonic_reads, orders.have_monotonic_reads());
    ASSERT_EQ(found.reads_its_writes, orders.read_their_writes());
    backwards += found.has_monotonic_reads == Holds::no ? 1 : 0;
    missed += found.reads_its_writes == Holds::no ? 1 : 0;
    neither += found.has_monotonic_reads == Holds::yes && found.reads_its_writes == Holds::yes ? 1 : 0;
  }
  EXPECT_GT(backwards, wanted / 100);
  EXPECT_GT(missed, wanted / 100);
  EXPECT_GT(neither, wanted / 1000);
}

}  // namespace
}  // namespace shardcheck::histories
