#include "harness/run_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "spec/wording.h"

namespace shardcheck::harness {
namespace {

// "directory - storage node 1"; what a step cuts has one end that is known.
std::string link_words(const Wording& wording, NodeId process, const sim::Deviation& deviation) {
  if (!is_of_message(deviation)) {
    return "link of " + wording.process(process);
  }
  return fmt::format("link {} {} {}", wording.process(deviation.anchor.from), deviation.is_both_ways ? "-" : "->",
                     wording.process(deviation.anchor.to));
}

bool hits_down(FaultKind kind) {
  return kind == FaultKind::crashed || kind == FaultKind::disk_lost || kind == FaultKind::lost_for_good;
}

// The times of all lines of the operations, in order.
std::vector<TrueTime> times_of(const histories::History& history) {
  std::vector<TrueTime> times;
  for (const histories::RecordedOperation& operation : history.operations) {
    times.push_back(operation.invoked_at);
    if (operation.has_returned()) {
      times.push_back(operation.returned_at);
    }
  }
  std::ranges::sort(times);
  return times;
}

}  // namespace

RunStory::RunStory(const Scenario& scenario, TraceSink* next)
    : scenario_(scenario), next_(next), wording_(wording_of(scenario)) {}

void RunStory::line(TrueTime at, const std::string& text) {
  if (next_ != nullptr) {
    next_->line(at, text);
  }
}

void RunStory::struck(TrueTime at, NodeId process, const sim::Deviation& deviation, const std::string& part) {
  end_due(at);
  const std::string name = wording_.process(process);
  const TrueTime until = at + deviation.duration;
  const auto begin = [&](std::string_view begins, std::string_view ends, const std::string& about) {
    tell(at, fmt::format("{} {}", begins, about));
    lasting_.push_back({process, fmt::format("{} {}", ends, about), until, deviation.kind});
  };
  if (hits_down(deviation.kind)) {
    end(at, [&](const Lasting& it) { return it.kind == FaultKind::paused && it.process == process; });
  }
  switch (deviation.kind) {
    case FaultKind::crashed: begin("crash", "restart", name); break;
    case FaultKind::disk_lost: begin("crash", "restart", name + " with loss of its disk"); break;
    case FaultKind::lost_for_good: tell(at, fmt::format("crash {} for good", name)); break;
    case FaultKind::paused: begin("pause", "resume", name); break;
    case FaultKind::link_cut: begin("cut", "mend", link_words(wording_, process, deviation)); break;
    case FaultKind::delayed:
    case FaultKind::held_until_phase:
    case FaultKind::dropped:
    case FaultKind::duplicated:
    case FaultKind::clock_shifted: tell(at, describe_strike(wording_, process, deviation)); break;
  }
  if (next_ != nullptr) {
    next_->struck(at, process, deviation, part);
  }
}

void RunStory::happened(const Observed& observed) {
  end_due(observed.at);
  if (const auto* committed = std::get_if<RecordCommitted>(&observed.fact)) {
    tell_record(observed.at, *committed);
  } else if (std::holds_alternative<Restarted>(observed.fact)) {
    end(observed.at, [&](const Lasting& it) { return it.is_outage() && it.process == observed.by; });
  } else if (std::holds_alternative<Left>(observed.fact)) {
    tell(observed.at, wording_.process(observed.by) + " has left");
  } else if (std::holds_alternative<Healed>(observed.fact)) {
    tell(observed.at, "all faults end");
    // Who is down is restarted one by one.
    end(observed.at, [](const Lasting& it) { return !it.is_outage(); });
  }
  if (next_ != nullptr) {
    next_->happened(observed);
  }
}

template <class Predicate>
void RunStory::end(TrueTime at, Predicate is_over) {
  for (const Lasting& it : lasting_) {
    if (is_over(it)) {
      tell(std::min(at, it.is_outage() ? at : it.until), it.end);
    }
  }
  std::erase_if(lasting_, is_over);
}

void RunStory::end_due(TrueTime now) {
  end(now, [now](const Lasting& it) { return !it.is_outage() && it.until <= now; });
}

void RunStory::tell_record(TrueTime at, const RecordCommitted& fact) {
  const ShardRecord& record = fact.record;
  const std::string range = words(record.shard);
  moves_.resize(std::max<std::size_t>(moves_.size(), record.shard.value + 1U));
  std::string& move = moves_[record.shard.value];
  const std::string owner = record.owner == kNoNode ? "nobody" : wording_.process(record.owner);
  switch (fact.change) {
    case RecordChange::created: return;
    case RecordChange::granted:
      tell(at, fmt::format("grant of {} to {} under {}", range, owner, words(record.epoch)));
      return;
    case RecordChange::bounds_changed: tell(at, fmt::format("bounds of {}: {}", range, words(record.range))); return;
    case RecordChange::move_begun:
      // Not "move ...", which pictures take to end with "moved ..." alone; one that is aborted ends too.
      move = fmt::format("{} of {} from {} to {}", words(record.move), range, wording_.process(record.source),
                         wording_.process(record.target));
      tell(at, "begin " + move);
      return;
    case RecordChange::move_finished:
      tell(at, "end " + move);
      move.clear();
      return;
    case RecordChange::move_advanced:
    case RecordChange::move_committed:
    case RecordChange::move_aborted:
    case RecordChange::move_cleaning:
      tell(at, fmt::format("phase {} of {}; {} owns {} under {}", name_of(record.phase), words(record.move), owner,
                           range, words(record.epoch)));
      return;
    case RecordChange::reported_lost: tell(at, fmt::format("data of {} is lost", range)); return;
    case RecordChange::members_changed: tell(at, fmt::format("members of {} change", range)); return;
    case RecordChange::removed: tell(at, fmt::format("{} is merged into its neighbour", range)); return;
  }
}

// A run that is cut short does not come to all of its steps, and a fault may last longer than any run.
std::vector<RunStory::Event> RunStory::events_until(TrueTime last, const std::vector<Violation>& violations) const {
  std::vector<Event> events;
  for (const Step& step : scenario_.steps) {
    if (!std::holds_alternative<ClientStep>(step.what) && !std::holds_alternative<FaultStep>(step.what)) {
      events.push_back({step.at, "step: " + describe(wording_, step), 0});
    }
  }
  events.insert(events.end(), events_.begin(), events_.end());
  for (const Lasting& it : lasting_) {
    if (!it.is_outage()) {
      events.push_back({it.until, it.end, 0});
    }
  }
  std::erase_if(events, [last](const Event& event) { return last < event.at; });
  for (const Violation& violation : violations) {
    const Clause& row = clause(violation.clause);
    // One without a time was seen when all was over.
    const TrueTime at = violation.at == TrueTime{} ? last : violation.at;
    events.push_back({at, fmt::format("violated {} {}: {}", row.text_id, row.name, violation.message), 0});
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i].order = i;
  }
  std::ranges::sort(events, {}, [](const Event& event) { return std::pair(event.at, event.order); });
  return events;
}

histories::History RunStory::told_with(const histories::History& history,
                                       const std::vector<Violation>& violations) const {
  const std::vector<TrueTime> times = times_of(history);
  const TrueTime told_until = events_.empty() ? TrueTime{} : events_.back().at;
  const std::vector<Event> events =
      events_until(times.empty() ? told_until : std::max(told_until, times.back()), violations);
  histories::HistoryBuilder lines;
  for (const Event& event : events) {
    lines.nemesis(event.at, event.what);
  }
  histories::History told = history;
  told.nemesis = lines.history().nemesis;
  for (histories::NemesisEvent& event : told.nemesis) {
    event.line += static_cast<std::uint32_t>(std::ranges::lower_bound(times, *event.at) - times.begin());
  }
  const auto moved = [&](std::uint32_t line, TrueTime at) {
    const auto after = std::ranges::upper_bound(events, at, {}, &Event::at);
    return line + static_cast<std::uint32_t>(after - events.begin());
  };
  for (histories::RecordedOperation& operation : told.operations) {
    operation.invoke_line = moved(operation.invoke_line, operation.invoked_at);
    if (operation.has_returned()) {
      operation.return_line = moved(operation.return_line, operation.returned_at);
    }
  }
  return told;
}

}  // namespace shardcheck::harness
