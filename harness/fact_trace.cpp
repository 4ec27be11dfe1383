#include "harness/fact_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "spec/wording.h"

namespace shardcheck::harness {
namespace {

// " for move 7", or nothing.
std::string for_move(MoveId move) { return move == MoveId{} ? "" : " for " + words(move); }

std::string driver_words(const Wording& wording, const ShardRecord& record) {
  return record.mover == kNoNode ? ""
                                 : fmt::format(", driven by {} under mover epoch {}", wording.process(record.mover),
                                               record.mover_epoch.value);
}

std::string move_words(const Wording& wording, const ShardRecord& record) {
  return fmt::format("{} from {} to {} is {}{}", words(record.move), wording.process(record.source),
                     wording.process(record.target), name_of(record.phase), driver_words(wording, record));
}

std::string members_words(const Wording& wording, const ShardRecord& record) {
  std::string members;
  record.members.for_each(
      [&](NodeId member) { members += (members.empty() ? "" : " ") + std::to_string(member.value); });
  return (members.empty() ? "" : "replica set " + members) +
         (record.joining == kNoNode ? "" : fmt::format(", {} joins it", wording.process(record.joining)));
}

bool is_in_move(const ShardRecord& record) { return record.phase != MovePhase::none && record.move != MoveId{}; }

std::string record_words(const Wording& wording, const RecordCommitted& fact) {
  const ShardRecord& record = fact.record;
  if (fact.change == RecordChange::removed) {
    return fmt::format("{} is no more: it was merged into its neighbour", words(record.shard));
  }
  std::string text =
      fmt::format("{} {} belongs to {} under {}", words(record.shard), words(record.range),
                  record.owner == kNoNode ? "nobody" : wording.process(record.owner), words(record.epoch));
  text += is_in_move(record) ? ", " + move_words(wording, record) : "";
  const std::string members = members_words(wording, record);
  text += members.empty() ? "" : ", " + members;
  return text + (record.is_data_lost ? ", its data is lost" : "");
}

// Only what is new of a range that keeps its owner and its bounds; empty when that is more than its move and its
// replica set.
std::string news_words(const Wording& wording, const ShardRecord& before, const RecordCommitted& fact) {
  const ShardRecord& record = fact.record;
  if (fact.change == RecordChange::removed || before.range != record.range || before.owner != record.owner ||
      before.epoch != record.epoch || before.is_data_lost != record.is_data_lost) {
    return "";
  }
  std::string news;
  const auto add = [&](const std::string& what) { news += (news.empty() ? "" : ", ") + what; };
  if (is_in_move(record) && (!is_in_move(before) || before.move != record.move)) {
    add(move_words(wording, record));
  } else if (is_in_move(record) && before.phase != record.phase) {
    const bool is_same_mover = before.mover == record.mover && before.mover_epoch == record.mover_epoch;
    add(fmt::format("{} is {}{}", words(record.move), name_of(record.phase),
                    is_same_mover ? "" : driver_words(wording, record)));
  } else if (is_in_move(record)) {
    const std::string driver = driver_words(wording, record);
    add(before.mover_epoch == record.mover_epoch ? "" : words(record.move) + driver);
  } else if (is_in_move(before)) {
    add(words(before.move) + " is over");
  }
  if (before.members != record.members || before.joining != record.joining) {
    add(members_words(wording, record));
  }
  return news.empty() ? "" : fmt::format("{} now: {}", words(record.shard), news);
}

// " (asked for under mover epoch 2, on epoch 7)": what the command was conditional on.
std::string condition_words(const RecordCommitted& fact) {
  const std::string asked =
      fact.asked_by == MoverEpoch{} ? "" : fmt::format("asked for under mover epoch {}, ", fact.asked_by.value);
  return fact.planned_on == Epoch{} ? "" : fmt::format(" ({}on {})", asked, words(fact.planned_on));
}

// " (request 16 of client 0)", " (backfill for move 7)".
std::string cause_words(const Applied& fact) {
  switch (fact.cause) {
    case ApplyCause::client: return fmt::format(" ({})", words(fact.request));
    case ApplyCause::backfill: return fmt::format(" (backfill{})", for_move(fact.move));
    case ApplyCause::replay: return fmt::format(" (replay{})", for_move(fact.move));
    case ApplyCause::dual_write: return fmt::format(" (dual write{})", for_move(fact.move));
    case ApplyCause::replication: return " (as a member of the replica set)";
  }
  return "";
}

}  // namespace

std::string describe_news(const Wording& wording, const ShardRecord& before, const Observed& observed) {
  const auto& committed = std::get<RecordCommitted>(observed.fact);
  const std::string news = news_words(wording, before, committed);
  return news.empty() ? describe_fact(wording, observed)
                      : fmt::format("{} commits at {}{}: {}", wording.process(observed.by), words(committed.position),
                                    condition_words(committed), news);
}

std::string describe_fact(const Wording& wording, const Observed& observed) {
  const Observation& fact = observed.fact;
  if (std::holds_alternative<Healed>(fact)) {
    return "all faults end";
  }
  if (const auto* returned = std::get_if<Returned>(&fact)) {
    const bool has_value = returned->outcome.kind == OutcomeKind::ok;
    return fmt::format("client {} is answered: request {} {}{}", returned->request.client.value,
                       returned->request.sequence, name_of(returned->outcome.kind),
                       has_value ? " " + to_string(returned->outcome.value) : "");
  }
  const std::string by = wording.process(observed.by);
  if (const auto* committed = std::get_if<RecordCommitted>(&fact)) {
    return fmt::format("{} commits at {}{}: {}", by, words(committed->position), condition_words(*committed),
                       record_words(wording, *committed));
  }
  if (const auto* claim = std::get_if<ClaimChanged>(&fact)) {
    return fmt::format("{} serves {} {} under {}, {}", by, words(claim->shard), words(claim->range),
                       words(claim->epoch), until_words(claim->until));
  }
  if (const auto* ended = std::get_if<ClaimEnded>(&fact)) {
    return fmt::format("{} stops serving {}", by, words(ended->shard));
  }
  if (const auto* applied = std::get_if<Applied>(&fact)) {
    return fmt::format("{} has {}{} of {} in {} on its disk{}", by, applied->is_tombstone ? "the delete of " : "",
                       words(applied->key), words(applied->shard), words(applied->version), cause_words(*applied));
  }
  if (const auto* created = std::get_if<CopyCreated>(&fact)) {
    return fmt::format("{} {} a copy of {} {}{}", by, created->is_found ? "finds" : "begins", words(created->shard),
                       words(created->range),
                       created->move == MoveId{} ? ", as a member of its replica set" : for_move(created->move));
  }
  if (const auto* removed = std::get_if<CopyRemoved>(&fact)) {
    return fmt::format("{} removes its copy of {} {}{}", by, words(removed->shard), words(removed->range),
                       for_move(removed->move));
  }
  if (const auto* erased = std::get_if<KeyErased>(&fact)) {
    return fmt::format("{} erases {}{}", by, words(erased->key), for_move(erased->move));
  }
  if (const auto* stopped = std::get_if<AdmissionStopped>(&fact)) {
    return fmt::format("{} admits no more requests to {}{}", by, words(stopped->shard), for_move(stopped->move));
  }
  if (const auto* barrier = std::get_if<BarrierConfirmed>(&fact)) {
    return fmt::format("{} confirms the barrier of {} at log position {} of {}", by, words(barrier->move),
                       barrier->barrier.value, words(barrier->shard));
  }
  if (const auto* split = std::get_if<OwnerSplit>(&fact)) {
    return fmt::format("{} has split {} at {} on its disk", by, words(split->shard), words(split->at));
  }
  return "";
}

void FactTrace::begin(ObservationSink& sink, Wording wording, TraceSink& trace) {
  sink_ = &sink;
  trace_ = &trace;
  wording_ = std::move(wording);
  records_.clear();
}

void FactTrace::on(const Observed& observed) {
  if (const auto* committed = std::get_if<RecordCommitted>(&observed.fact)) {
    records_.resize(std::max<std::size_t>(records_.size(), committed->record.shard.value + 1U));
    records_[committed->record.shard.value] = committed->record;
  }
  if (const std::string text = describe_fact(wording_, observed); !text.empty()) {
    trace_->line(observed.at, "  " + text);
  }
  trace_->happened(observed);
  sink_->on(observed);
}

std::string FactTrace::part_of(NodeId process) const {
  std::string text;
  for (const ShardRecord& record : records_) {
    if (record.phase == MovePhase::none || (record.source != process && record.target != process)) {
      continue;
    }
    text += fmt::format("{}{} is the {} of {} of {} ({})", text.empty() ? "" : ", ", wording_.process(process),
                        record.source == process ? "source" : "target", words(record.move), words(record.shard),
                        name_of(record.phase));
  }
  return text;
}

void FactTrace::strike(TrueTime at, NodeId process, const sim::Deviation& deviation) {
  std::string part;
  const auto add = [&](const std::string& more) { part += part.empty() || more.empty() ? more : ", " + more; };
  if (is_of_message(deviation)) {
    add(part_of(deviation.anchor.from));
    add(part_of(deviation.anchor.to));
  } else {
    add(part_of(process));
  }
  trace_->line(
      at, fmt::format("FAULT {}{}", describe_strike(wording_, process, deviation), part.empty() ? "" : "; " + part));
  trace_->struck(at, process, deviation, part);
}

}  // namespace shardcheck::harness
