#include "harness/excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "harness/fact_trace.h"
#include "spec/wording.h"

namespace shardcheck::harness {
namespace {

// What a fact is about, as far as it says.
struct Subject {
  std::optional<Key> key;
  std::optional<ShardId> shard;
  std::optional<RequestId> request;
  std::optional<MoveId> move;
};

Subject subject_of(const Observation& fact) {
  return std::visit(
      [](const auto& it) {
        Subject subject;
        if constexpr (requires { subject.key = it.key; }) {
          subject.key = it.key;
        }
        if constexpr (requires { subject.key = it.operation.key; }) {
          subject.key = it.operation.key;
        }
        if constexpr (requires { subject.shard = it.shard; }) {
          subject.shard = it.shard;
        }
        if constexpr (requires { subject.shard = it.record.shard; }) {
          subject.shard = it.record.shard;
        }
        if constexpr (requires { subject.request = it.request; }) {
          subject.request = it.request;
        }
        if constexpr (requires { subject.request = it.attempt.request; }) {
          subject.request = it.attempt.request;
        }
        if constexpr (requires { subject.move = it.move; }) {
          subject.move = it.move;
        }
        return subject;
      },
      fact);
}

// The numbers that follow `word` as a word of its own in `text`: 3 and 12 for "key " in "key 3 and key 12".
std::vector<std::pair<std::uint64_t, std::string_view>> numbers_after(std::string_view text, std::string_view word) {
  std::vector<std::pair<std::uint64_t, std::string_view>> numbers;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins_a_word = at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
    std::size_t end = at + word.size();
    std::uint64_t number = 0;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
      number = number * 10 + static_cast<std::uint64_t>(text[end] - '0');
      ++end;
    }
    if (begins_a_word && end > at + word.size()) {
      numbers.emplace_back(number, text.substr(end));
    }
  }
  return numbers;
}

// Whom the message of a violation names, in the words of spec/wording.h.
struct Named {
  std::set<std::uint64_t> keys;
  std::set<std::uint64_t> ranges;
  std::set<std::uint64_t> moves;
  std::set<std::uint64_t> routers;
  std::set<RequestId> requests;

  explicit Named(std::string_view message) {
    const auto all = [message](std::string_view word) {
      std::set<std::uint64_t> found;
      for (const auto& [number, rest] : numbers_after(message, word)) {
        found.insert(number);
      }
      return found;
    };
    keys = all("key ");
    ranges = all("range ");
    moves = all("move ");
    routers = all("router ");
    for (const auto& [sequence, rest] : numbers_after(message, "request ")) {
      const auto clients = numbers_after(rest, " of client ");
      if (rest.starts_with(" of client ") && !clients.empty()) {
        requests.insert(
            {ClientId{static_cast<std::uint16_t>(clients.front().first)}, static_cast<std::uint32_t>(sequence)});
      }
    }
  }
  bool is_nothing() const {
    return keys.empty() && ranges.empty() && moves.empty() && routers.empty() && requests.empty();
  }
};

std::string cause_words(HopCause cause) {
  switch (cause) {
    case HopCause::first: return "";
    case HopCause::redirected: return ", redirected there";
    case HopCause::stale: return ", because of an answer stale_epoch";
    case HopCause::transient: return ", because of an answer transient";
    case HopCause::unanswered: return ", because no answer came";
  }
  return "";
}

std::string attempt_words(Attempt attempt) {
  return fmt::format("attempt {} of {}", attempt.number, words(attempt.request));
}

// Also what a trace shows as messages, which would be too many here.
std::string told(const Wording& wording, const Observed& observed) {
  const std::string by = wording.process(observed.by);
  if (const auto* invoked = std::get_if<Invoked>(&observed.fact)) {
    return fmt::format("client {} asks for {} (request {})", invoked->request.client.value,
                       describe(invoked->operation), invoked->request.sequence);
  }
  if (const auto* hop = std::get_if<Hop>(&observed.fact)) {
    return fmt::format("{} sends {} to {} under {}{}", by, attempt_words(hop->attempt), wording.process(hop->to),
                       words(hop->epoch), cause_words(hop->cause));
  }
  if (const auto* served = std::get_if<Served>(&observed.fact)) {
    return fmt::format("{} serves {} ({} of {}) under {}", by, attempt_words(served->attempt),
                       name_of(served->operation), words(served->key), words(served->epoch));
  }
  if (const auto* answered = std::get_if<Answered>(&observed.fact)) {
    const bool redirects = answered->redirect_to != kNoNode;
    return fmt::format("{} does not serve {} and answers {}{}", by, attempt_words(answered->attempt),
                       name_of(answered->signal),
                       redirects ? ", with a redirect to " + wording.process(answered->redirect_to) : "");
  }
  if (const auto* learned = std::get_if<RouterLearned>(&observed.fact)) {
    return fmt::format("{} learns that keys {} belong to {} under {}", by, words(learned->range),
                       learned->owner == kNoNode ? "nobody" : wording.process(learned->owner), words(learned->epoch));
  }
  if (const auto* refresh = std::get_if<RefreshStarted>(&observed.fact)) {
    return fmt::format("{} asks the directory for a newer map{}", by, cause_words(refresh->cause));
  }
  if (const auto* extended = std::get_if<LeaseExtended>(&observed.fact)) {
    return fmt::format("{} extends the lease of {} on {} under {} until {}", by, wording.process(extended->holder),
                       words(extended->shard), words(extended->epoch), words(extended->until));
  }
  if (const auto* held = std::get_if<LeaseHeld>(&observed.fact)) {
    return fmt::format("{} is given a lease of {} under {} until {} on its clock", by, words(held->shard),
                       words(held->epoch), words(held->until));
  }
  if (const auto* restarted = std::get_if<Restarted>(&observed.fact)) {
    return by + (restarted->is_disk_lost ? " is up again, with an empty disk" : " is up again");
  }
  return describe_fact(wording, observed);
}

// What happens again and again, such as renewals of a lease and attempts that nobody answers, has the same subject each
// time. Of those the last is told, and how many there were.
std::string repeated_subject(const Observed& observed) {
  if (const auto* claim = std::get_if<ClaimChanged>(&observed.fact)) {
    return fmt::format("claim {} {} {} {}", observed.by.value, words(claim->shard), words(claim->epoch),
                       words(claim->range));
  }
  if (const auto* held = std::get_if<LeaseHeld>(&observed.fact)) {
    return fmt::format("held {} {} {}", observed.by.value, words(held->shard), words(held->epoch));
  }
  if (const auto* extended = std::get_if<LeaseExtended>(&observed.fact)) {
    return fmt::format("lease {} {} {}", extended->holder.value, words(extended->shard), words(extended->epoch));
  }
  if (const auto* hop = std::get_if<Hop>(&observed.fact); hop != nullptr && hop->cause != HopCause::first) {
    return fmt::format("hop {} {} {} {} {}", observed.by.value, words(hop->attempt.request), hop->to.value,
                       words(hop->epoch), static_cast<int>(hop->cause));
  }
  if (const auto* answered = std::get_if<Answered>(&observed.fact)) {
    return fmt::format("answer {} {} {} {}", observed.by.value, words(answered->attempt.request),
                       name_of(answered->signal), answered->redirect_to.value);
  }
  return "";
}

// Decides, fact by fact, what a violation is about.
class Relevance {
 public:
  explicit Relevance(const Violation& violation) : named_(violation.message) {}

  // For all facts of the run in order, before the first is judged: the keys of requests and where they lie.
  void learn(const Observed& observed) {
    if (const auto* invoked = std::get_if<Invoked>(&observed.fact)) {
      if (named_.requests.contains(invoked->request) && invoked->operation.kind != OperationKind::scan) {
        named_.keys.insert(invoked->operation.key.value);
      }
    }
  }
  bool covers(const Observed& observed) {
    if (const auto* committed = std::get_if<RecordCommitted>(&observed.fact)) {
      ranges_[committed->record.shard.value] = committed->record.range;
    }
    if (named_.is_nothing() || is_of_whole_run(observed.fact)) {
      return true;
    }
    const Subject subject = subject_of(observed.fact);
    if (subject.request && named_.requests.contains(*subject.request)) {
      return true;
    }
    if (subject.key) {
      return named_.keys.contains(subject.key->value);
    }
    if (subject.move && *subject.move != MoveId{} && named_.moves.contains(subject.move->value)) {
      return true;
    }
    if (subject.shard) {
      return named_.ranges.contains(subject.shard->value) || holds_a_key(*subject.shard);
    }
    const bool is_of_router =
        std::holds_alternative<RouterLearned>(observed.fact) || std::holds_alternative<RefreshStarted>(observed.fact);
    return is_of_router && named_.routers.contains(observed.by.value);
  }

 private:
  static bool is_of_whole_run(const Observation& fact) {
    return std::holds_alternative<Healed>(fact) || std::holds_alternative<Restarted>(fact);
  }
  bool holds_a_key(ShardId shard) const {
    const auto range = ranges_.find(shard.value);
    return range != ranges_.end() && std::ranges::any_of(named_.keys, [&](std::uint64_t key) {
             return range->second.contains(Key{static_cast<std::uint32_t>(key)});
           });
  }

  Named named_;
  std::map<std::uint32_t, KeyRange> ranges_;  // by ShardId, as committed
};

struct Line {
  TrueTime at;
  std::string text;
  bool is_fault = false;
  std::string repeated;  // its repeated_subject
  TrueTime first;        // of `times`
  std::size_t times = 1;
  std::optional<ShardId> committed;  // of a commit, the range that it is about
  std::string whole;                 // and the same with all that is known of that range
};

// Where commits are told by what is new in them, the first of each range is told whole.
void tell_first_commits_whole(std::vector<Line>& lines) {
  std::set<ShardId> told;
  for (Line& line : lines) {
    if (line.committed && told.insert(*line.committed).second) {
      line.text = line.whole;
    }
  }
}

// Drops the earlier lines about the same, and has `line` say how many they were.
void replace_repeated(std::vector<Line>& lines, Line& line) {
  const auto same = std::ranges::find(lines, line.repeated, &Line::repeated);
  if (line.repeated.empty() || same == lines.end()) {
    return;
  }
  line.first = same->first;
  line.times = same->times + 1;
  lines.erase(same);
}

}  // namespace

Excerpt::Excerpt(const Scenario& scenario, TraceSink* next) : next_(next), wording_(wording_of(scenario)) {}

void Excerpt::line(TrueTime at, const std::string& text) {
  if (next_ != nullptr) {
    next_->line(at, text);
  }
}

void Excerpt::struck(TrueTime at, NodeId process, const sim::Deviation& deviation, const std::string& part) {
  entries_.push_back(
      {{at, process, FaultInjected{deviation.kind}},
       fmt::format("FAULT {}{}{}", describe_strike(wording_, process, deviation), part.empty() ? "" : "; ", part)});
  if (next_ != nullptr) {
    next_->struck(at, process, deviation, part);
  }
}

void Excerpt::happened(const Observed& observed) {
  entries_.push_back({observed, ""});
  if (next_ != nullptr) {
    next_->happened(observed);
  }
}

std::vector<std::string> Excerpt::before(const Violation& violation) const {
  const bool has_time = violation.at != TrueTime{};
  Relevance relevance(violation);
  for (const Entry& entry : entries_) {
    relevance.learn(entry.observed);
  }
  std::vector<Line> lines;
  std::map<ShardId, ShardRecord> records;
  const bool has_faults = std::ranges::any_of(entries_, [](const Entry& entry) { return !entry.fault.empty(); });
  for (const Entry& entry : entries_) {
    if (has_time && violation.at < entry.observed.at) {
      break;
    }
    if (!entry.fault.empty()) {
      lines.push_back({.at = entry.observed.at,
                       .text = entry.fault,
                       .is_fault = true,
                       .repeated = {},
                       .first = entry.observed.at,
                       .committed = {},
                       .whole = {}});
      continue;
    }
    const bool is_about = relevance.covers(entry.observed);
    if (!is_about || (std::holds_alternative<Healed>(entry.observed.fact) && !has_faults)) {
      continue;
    }
    if (std::string text = told(wording_, entry.observed); !text.empty()) {
      Line line{.at = entry.observed.at,
                .text = std::move(text),
                .repeated = repeated_subject(entry.observed),
                .first = entry.observed.at,
                .committed = {},
                .whole = {}};
      if (const auto* committed = std::get_if<RecordCommitted>(&entry.observed.fact)) {
        line.committed = committed->record.shard;
        line.whole = line.text;
        const auto before = records.find(committed->record.shard);
        line.text = before == records.end() ? line.text : describe_news(wording_, before->second, entry.observed);
        records.insert_or_assign(committed->record.shard, committed->record);
      }
      replace_repeated(lines, line);
      lines.push_back(std::move(line));
    }
  }
  std::size_t to_skip = lines.size() <= kLinesMax ? 0 : lines.size() - kLinesMax;
  const std::size_t left_out =
      std::erase_if(lines, [&](const Line& line) { return !line.is_fault && to_skip > 0 && to_skip-- > 0; });
  tell_first_commits_whole(lines);
  std::vector<std::string> texts;
  if (left_out > 0) {
    texts.push_back(fmt::format("({} earlier line{} left out; replay --trace prints all)", left_out,
                                left_out == 1 ? " is" : "s are"));
  }
  for (const Line& line : lines) {
    const std::string again = line.times == 1 ? "" : fmt::format(" ({} times since {})", line.times, words(line.first));
    texts.push_back(fmt::format("{:>11}  {}{}", words(line.at), line.text, again));
  }
  const Clause& row = clause(violation.clause);
  texts.push_back(
      fmt::format("{:>11}  {} {} is broken", has_time ? words(violation.at) : "at the end", row.text_id, row.name));
  return texts;
}

}  // namespace shardcheck::harness
