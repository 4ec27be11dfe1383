#include "histories/stream_checker.h"

#include <algorithm>
#include <span>
#include <utility>

#include "histories/flat_map.h"
#include "histories/json_lines.h"
#include "histories/line_reader.h"
#include "histories/stream_window.h"
#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

ValueId copied(const ValueTable& from, ValueId value, ValueTable& to) {
  switch (from.kind(value)) {
    case StoredKind::absent: return kAbsent;
    case StoredKind::number: return to.number(from.number_of(value));
    case StoredKind::string: return to.string(from.string_of(value));
    case StoredKind::list: {
      std::vector<ValueId> items;
      for (const ValueId item : from.list_of(value)) {
        items.push_back(copied(from, item, to));
      }
      return to.list(items);
    }
  }
  return kAbsent;
}

class Stream {
 public:
  explicit Stream(const StreamOptions& options) : options_(options) {}

  // Judges what can be, and leaves in `history` what is kept, with values of a table of its own.
  void judge(History& history, bool is_last) {
    group(history);
    kept_.clear();
    for (Key& key : keys_) {
      if (is_stopped()) {
        kept_.insert(kept_.end(), key.waiting.begin(), key.waiting.end());
      } else if (!key.waiting.empty()) {
        judge_key(history, key, is_last);
      }
    }
    std::ranges::sort(kept_);
    drop_what_is_too_much(history);
    rebuild(history);
  }

  bool is_time_to_judge(const History& history) const {
    return history.operations.size() >= carried_ + std::max<std::uint64_t>(options_.window_operations, carried_);
  }
  // A violation was found, and nothing else is wanted.
  bool is_stopped() const { return options_.stops_at_first_violation && is_violated_; }
  bool is_out_of_time() const { return options_.is_out_of_time && options_.is_out_of_time(); }

  StreamReport report(const ValueTable& values) {
    StreamReport report;
    report.operations_kept_max = kept_max_;
    for (Key& key : keys_) {
      key.told.key =
          values.kind(key.id) == StoredKind::string ? std::string(values.string_of(key.id)) : values.to_text(key.id);
      report.operations += key.told.operations;
      if (is_stopped() && !key.is_decided) {
        ++report.keys_not_judged;
        continue;
      }
      if (key.told.verdict == Verdict::not_linearizable) {
        report.verdict = Verdict::not_linearizable;
      } else if (key.told.verdict == Verdict::undecided && report.verdict == Verdict::linearizable) {
        report.verdict = Verdict::undecided;
      }
      report.keys.push_back(std::move(key.told));
    }
    return report;
  }

 private:
  struct Key {
    ValueId id;
    StreamedKey told{};
    bool is_decided = false;  // before the end: it is violated, or there was too little of something
    bool is_counted = false;  // some increment was asked for
    bool is_changed_otherwise = false;
    std::vector<ValueId> starts{kAbsent};
    std::vector<std::uint32_t> waiting{};  // operations, in the order of their invocations
    std::size_t cut_again_at = 0;          // so many are waiting: fewer could not be cut the last time
  };

  void group(const History& history) {
    kept_max_ = std::max<std::uint64_t>(kept_max_, history.operations.size());
    for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
      const auto next = static_cast<std::uint32_t>(keys_.size());
      const std::uint32_t number = number_of_key_.find_or_insert(history.operations[i].key.value, next);
      if (number == next) {
        keys_.push_back(Key{.id = history.operations[i].key});
      }
      const OperationKind kind = history.operations[i].kind;
      keys_[number].is_counted |= kind == OperationKind::increment;
      keys_[number].is_changed_otherwise |= kind != OperationKind::increment && kind != OperationKind::read;
      keys_[number].waiting.push_back(i);
      keys_[number].told.operations += i >= carried_ ? 1U : 0U;
    }
  }

  void judge_key(History& history, Key& key, bool is_last) {
    std::vector<std::uint32_t> waiting;
    waiting.swap(key.waiting);
    std::size_t cut = 0;
    if (!key.is_decided) {
      cut = is_last ? waiting.size() : quiet_until(history, waiting);
      const bool is_too_early = !is_last && waiting.size() < key.cut_again_at;
      cut = cut != 0 && !is_too_early && judge_until(history, key, std::span(waiting).first(cut), is_last) ? cut : 0;
      key.cut_again_at = cut == 0 && !is_too_early ? waiting.size() * 2 : key.cut_again_at;
      key.cut_again_at = cut != 0 ? 0 : key.cut_again_at;
    }
    // Whatever is decided waits only for returns.
    for (std::size_t i = cut; i < waiting.size(); ++i) {
      if (!key.is_decided || !history.operations[waiting[i]].has_returned()) {
        kept_.push_back(waiting[i]);
      }
    }
  }

  // False when it is not cut there.
  bool judge_until(History& history, Key& key, std::span<const std::uint32_t> operations, bool is_last) {
    const CheckOptions asking{.steps_max = options_.steps_max,
                              .memory_bytes_max = options_.memory_bytes_max / 2,
                              .is_out_of_time = options_.is_out_of_time};
    window_.open(history, operations, key.starts,
                 {.is_behind_cut = key.told.cuts != 0, .is_of_counter = key.is_counted && !key.is_changed_otherwise});
    if (!is_last) {
      std::optional<std::vector<ValueId>> ends = window_.ends(asking);
      if (!ends) {
        return false;
      }
      if (!ends->empty()) {
        key.starts = *std::move(ends);
        key.told.cuts += 1;
        kept_.insert(kept_.end(), window_.still_pending().begin(), window_.still_pending().end());
        return true;
      }
    }
    const StreamWindow::Answer answer = window_.judge(asking);
    if (!is_last && answer.verdict != Verdict::not_linearizable) {
      return false;
    }
    is_violated_ |= answer.verdict == Verdict::not_linearizable;
    key.told.verdict = answer.verdict;
    key.told.shortage = answer.shortage;
    key.told.unexplained_line = answer.unexplained_line;
    key.told.sentence = answer.sentence;
    key.is_decided = true;
    return true;
  }

  // Half of the memory is for what is kept; the keys that keep most give it up.
  void drop_what_is_too_much(const History& history) {
    constexpr std::uint64_t kBytesOfOperation = sizeof(RecordedOperation) + 2 * sizeof(std::uint32_t);
    const std::uint64_t most = options_.memory_bytes_max / 2 / kBytesOfOperation;
    while (kept_.size() > most) {
      std::vector<std::uint64_t> counts(keys_.size(), 0);
      for (const std::uint32_t i : kept_) {
        const std::uint32_t number = *number_of_key_.find(history.operations[i].key.value);
        counts[number] += keys_[number].is_decided ? 0U : 1U;
      }
      const auto largest = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
      if (counts[largest] == 0) {
        return;
      }
      Key& key = keys_[largest];
      key.is_decided = true;
      key.told.shortage = Shortage::memory;
      std::erase_if(kept_, [&](std::uint32_t i) {
        return history.operations[i].key == key.id && history.operations[i].has_returned();
      });
    }
  }

  void rebuild(History& history) {
    ValueTable values;
    std::vector<RecordedOperation> operations;
    operations.reserve(kept_.size());
    number_of_key_.clear();
    const auto moved = [&](ValueId value) { return copied(history.values, value, values); };
    for (std::uint32_t number = 0; number < keys_.size(); ++number) {
      Key& key = keys_[number];
      key.id = moved(key.id);
      std::ranges::transform(key.starts, key.starts.begin(), moved);
      number_of_key_.find_or_insert(key.id.value, number);
    }
    for (const std::uint32_t i : kept_) {
      RecordedOperation operation = history.operations[i];
      for (ValueId* const value :
           {&operation.process, &operation.key, &operation.argument, &operation.expected, &operation.observed}) {
        *value = moved(*value);
      }
      operations.push_back(operation);
    }
    history.values = std::move(values);
    history.operations = std::move(operations);
    history.nemesis.clear();
    carried_ = history.operations.size();
  }

  const StreamOptions& options_;
  FlatMap number_of_key_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> kept_;
  std::uint64_t carried_ = 0;  // operations in front, kept from the window before
  std::uint64_t kept_max_ = 0;
  bool is_violated_ = false;
  StreamWindow window_;
};

}  // namespace

Result<StreamReport> check_stream(std::unique_ptr<ByteSource> source, const std::string& name, ReadingRules rules,
                                  const StreamOptions& options) {
  SHARDCHECK_ASSERT(!rules.initial);
  LineReader lines(std::move(source), name);
  HistoryAssembler assembler(std::move(rules), nullptr);
  Stream stream(options);
  const auto goes_on = [&] {
    if (stream.is_time_to_judge(assembler.so_far())) {
      stream.judge(assembler.so_far(), false);
      assembler.forget_taken();
      return !stream.is_out_of_time() && !stream.is_stopped();
    }
    return true;
  };
  if (const Result<void> added = add_json_lines(lines, assembler, goes_on); !added) {
    return std::unexpected(added.error());
  }
  const bool is_read_to_the_end = !stream.is_stopped();
  if (is_read_to_the_end) {
    stream.judge(assembler.so_far(), true);
  }
  StreamReport report = stream.report(assembler.values());
  report.stopped_at_line = is_read_to_the_end ? 0 : lines.line_number();
  if (report.operations == 0) {
    return fail(lines.place(), "the history ends without a single operation");
  }
  return report;
}

}  // namespace shardcheck::histories
