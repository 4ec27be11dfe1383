// Logs: a value is the pieces that were appended, one after the other (log_pieces.h).
#include <algorithm>
#include <vector>

#include "histories/classify_parts.h"
#include "histories/log_pieces.h"

namespace shardcheck::histories {
namespace {

using Numbers = std::vector<std::uint64_t>;

class LogFacts {
 public:
  LogFacts(const History& history, const KeyHistory& whole, LogPieces& pieces, Classification& found)
      : history_(history), pieces_(pieces), found_(found), sessions_(history) {
    for (const KeyOperation& operation : whole.operations) {
      if (operation.kind == OperationKind::append) {
        const std::uint32_t piece = index_of(pieces.number_of_append(operation.argument));
        all_[piece].invocations.push_back(operation.invoked);
        if (operation.has_returned()) {
          acknowledged_.push_back({&operation, piece});
        }
      }
    }
    std::ranges::sort(acknowledged_, {}, [](const Append& append) { return append.operation->returned; });
    set_lost_apart(whole);
    for (const Append& append : acknowledged_) {
      all_[append.piece].returns.push_back(append.operation->returned);
    }
  }

  void take(const KeyOperation& operation) {
    if (operation.kind == OperationKind::append) {
      if (operation.has_returned()) {
        sessions_.of(operation).own.push_back({&operation, index_of(pieces_.number_of_append(operation.argument))});
      }
      return;
    }
    if (!operation.has_returned()) {
      return;
    }
    const std::optional<Numbers> seen = pieces_.take_apart(operation.observed);
    if (!seen) {
      found_.never_written.add(line_of(history_, operation));
      return;
    }
    compare_with_acknowledged(operation, mark(operation, *seen));
    compare_with_session(operation, *seen);
  }

 private:
  struct Piece {
    std::vector<Position> invocations;  // of its appends
    std::vector<Position> returns;      // of those in acknowledged_
    std::uint64_t shown_last = 0;       // how often it stands in what was read last
    std::uint64_t shown_before = 0;     // and in what the read before that one showed
    std::uint32_t seen_in = 0;          // the number of the last read that saw it
    std::uint32_t times = 0;            // how often it did
    bool is_duplicated = false;
  };
  struct Append {
    const KeyOperation* operation;
    std::uint32_t piece;  // index into all_
  };
  struct Session {
    Numbers seen;
    std::vector<Append> own;
  };

  // Of pieces that were appended several times, the earliest appends are the lost ones: that makes no read stale that
  // is not. What the last read does not show is lost if that read shows something that was asked for later, or if the
  // read before it did not show it either: one read that only misses the newest may be stale.
  void set_lost_apart(const KeyHistory& whole) {
    const std::optional<LastRead> last = last_read(whole, pieces_);
    if (!last) {
      return;
    }
    Position newest_shown = 0;  // the latest of the invocations by which what it shows had first been asked for
    for (const std::uint64_t number : last->seen) {
      Piece& piece = all_[index_of(number)];
      ++piece.shown_last;
      newest_shown = std::max(newest_shown, piece.invocations.empty() ? 0 : piece.invocations.front());
    }
    const std::optional<LastRead> before = last_read(whole, pieces_, last->operation);
    if (before) {
      for (const std::uint64_t number : before->seen) {
        ++all_[index_of(number)].shown_before;
      }
    }
    const Position shown_late = std::min(newest_shown, last->operation->invoked);
    const Position read_twice = before ? before->operation->invoked : 0;
    struct Due {
      std::uint64_t before_shown = 0;
      std::uint64_t before_both = 0;
    };
    std::vector<Due> due(all_.size());
    for (const Append& append : acknowledged_) {
      due[append.piece].before_shown += append.operation->returned < shown_late ? 1U : 0U;
      due[append.piece].before_both += append.operation->returned < read_twice ? 1U : 0U;
    }
    std::erase_if(acknowledged_, [&](const Append& append) {
      const Piece& piece = all_[append.piece];
      Due& left = due[append.piece];
      if (left.before_shown <= piece.shown_last && left.before_both <= std::max(piece.shown_last, piece.shown_before)) {
        return false;
      }
      left.before_shown -= left.before_shown == 0 ? 0 : 1;
      left.before_both -= left.before_both == 0 ? 0 : 1;
      found_.lost_appends.add(line_of(history_, *append.operation));
      return true;
    });
  }

  std::uint32_t index_of(std::uint64_t number) {
    const auto next = static_cast<std::uint32_t>(all_.size());
    const std::uint32_t index = index_of_piece_.find_or_insert(number, next);
    if (index == next) {
      all_.emplace_back();
    }
    return index;
  }

  // Returns how many of acknowledged_ that returned before the read began it shows.
  std::int64_t mark(const KeyOperation& read, const Numbers& seen) {
    ++read_;
    std::int64_t shown = 0;
    bool shows_unknown = false;
    for (const std::uint64_t number : seen) {
      Piece& piece = all_[index_of(number)];
      piece.times = piece.seen_in == read_ ? piece.times + 1 : 1;
      piece.seen_in = read_;
      shown += piece.times <= due_before(piece, read) ? 1 : 0;
      const auto asked = std::ranges::lower_bound(piece.invocations, read.returned) - piece.invocations.begin();
      shows_unknown |= asked == 0;
      if (asked != 0 && piece.times > asked && !piece.is_duplicated) {
        piece.is_duplicated = true;
        found_.duplicated_appends.add(line_of(history_, read));
      }
    }
    if (shows_unknown) {
      found_.never_written.add(line_of(history_, read));
    }
    return shown;
  }

  static std::int64_t due_before(const Piece& piece, const KeyOperation& read) {
    return std::ranges::lower_bound(piece.returns, read.invoked) - piece.returns.begin();
  }

  void compare_with_acknowledged(const KeyOperation& read, std::int64_t shown) {
    const auto end = std::ranges::lower_bound(acknowledged_, read.invoked, {},
                                              [](const Append& append) { return append.operation->returned; });
    const std::int64_t missing = end - acknowledged_.begin() - shown;
    if (missing == 0) {
      return;
    }
    const auto first = std::find_if(acknowledged_.begin(), end, [&](const Append& append) {
      const Piece& piece = all_[append.piece];
      return (piece.seen_in == read_ ? piece.times : 0) < due_before(piece, read);
    });
    add_stale(history_, read, history_.operations[first->operation->source].returned_at,
              static_cast<std::uint64_t>(missing), found_.stale_reads, found_);
  }

  void compare_with_session(const KeyOperation& read, const Numbers& seen) {
    Session& session = sessions_.of(read);
    if (std::ranges::mismatch(session.seen, seen).in1 != session.seen.end()) {
      found_.reads_backwards.add(line_of(history_, read));
    }
    const bool misses_own =
        std::ranges::any_of(session.own, [this](const Append& append) { return all_[append.piece].seen_in != read_; });
    if (misses_own) {
      found_.own_writes_missed.add(line_of(history_, read));
    }
    session.seen = seen;
  }

  const History& history_;
  LogPieces& pieces_;
  Classification& found_;
  FlatMap index_of_piece_;
  std::vector<Piece> all_;
  std::vector<Append> acknowledged_;  // but for the lost ones, in the order of their returns
  OfEachProcess<Session> sessions_;
  std::uint32_t read_ = 0;  // the number of the read looked at, from 1
};

}  // namespace

void classify_log(const History& history, const KeyHistory& whole, const OutOfTime& is_out_of_time,
                  Classification& found) {
  std::optional<LogPieces> pieces = LogPieces::of(whole);
  if (!pieces) {
    found.untold = Untold::pieces;
    return;
  }
  LogFacts facts(history, whole, *pieces, found);
  for (std::size_t i = 0; i < whole.operations.size(); ++i) {
    if (i % 256 == 0 && is_out_of_time && is_out_of_time()) {
      return;
    }
    facts.take(whole.operations[i]);
  }
  found.has_monotonic_reads = holds_unless(found.reads_backwards, true);
  found.reads_its_writes = holds_unless(found.own_writes_missed, true);
}

}  // namespace shardcheck::histories
