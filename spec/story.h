// For tests of the monitors: tells a run to a Judge in sentences. One shard 0 over the keys [0, 16) unless the test
// says otherwise; times in milliseconds; the story keeps the directory's records and positions, so that a test names
// only what matters to it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "spec/judge.h"

namespace shardcheck::story {

inline constexpr NodeId kA{0};
inline constexpr NodeId kB{1};
inline constexpr NodeId kC{2};
inline constexpr NodeId kRouter{7};
inline constexpr ShardId kShard{0};
inline constexpr ShardId kOtherShard{1};
inline constexpr Key kKey{5};

inline Bounds usual_bounds() {
  Bounds bounds;
  bounds.nodes = 8;
  bounds.shards = 4;
  bounds.clients = 4;
  bounds.key_space = {Key{0}, Key{16}};
  bounds.clock_offset_max = milliseconds(2);
  bounds.retention = milliseconds(100);
  bounds.service_within = milliseconds(200);
  bounds.move_within = milliseconds(500);
  bounds.answers_scans = true;
  bounds.hops_per_epoch_max = 2;
  return bounds;
}

constexpr KeyRange keys(std::uint32_t lo, std::uint32_t hi) { return {Key{lo}, Key{hi}}; }
constexpr RequestId request(std::uint32_t sequence, std::uint16_t client = 0) { return {ClientId{client}, sequence}; }

class Story {
 public:
  explicit Story(const Bounds& bounds = usual_bounds()) : judge_(bounds) {}

  Story& at(std::int64_t ms) {
    now_ = TrueTime{ms * 1'000'000};
    return *this;
  }
  Story& tell(NodeId by, Observation fact) {
    judge_.on({now_, by, std::move(fact)});
    return *this;
  }

  // The directory: each of these is one step.

  Story& create(NodeId owner, std::int64_t until_ms, ShardId shard = kShard, KeyRange range = keys(0, 16)) {
    ShardRecord& record = record_of(shard);
    record = {};
    record.shard = shard;
    record.range = range;
    return grant_as(RecordChange::created, shard, owner, until_ms);
  }
  Story& grant(NodeId owner, std::int64_t until_ms, ShardId shard = kShard) {
    return grant_as(RecordChange::granted, shard, owner, until_ms);
  }
  Story& extend(NodeId holder, std::int64_t until_ms) {
    return tell(kRouter, LeaseExtended{kShard, record_of(kShard).epoch, holder, ms(until_ms)});
  }
  Story& begin_move(NodeId target) {
    ShardRecord& record = record_of(kShard);
    record.phase = MovePhase::preparing;
    record.move = MoveId{position_.value + 1};
    record.source = record.owner;
    record.target = target;
    record.source_epoch = record.epoch;
    record.mover_epoch = MoverEpoch{1};
    return commit(RecordChange::move_begun, record.epoch);
  }
  Story& advance_to(MovePhase phase) {
    record_of(kShard).phase = phase;
    return commit(RecordChange::move_advanced, record_of(kShard).epoch);
  }
  Story& commit_move(std::int64_t until_ms) {
    ShardRecord& record = record_of(kShard);
    record.phase = MovePhase::switched;
    record.owner = record.target;
    record.lease_until = ms(until_ms);
    const Epoch planned_on = record.epoch;
    record.epoch = epoch_of(next(position_));
    return commit(RecordChange::move_committed, planned_on);
  }
  Story& abort_move() {
    record_of(kShard).phase = MovePhase::aborted;
    return commit(RecordChange::move_aborted, record_of(kShard).epoch);
  }
  Story& begin_cleaning() {
    record_of(kShard).phase = MovePhase::cleaning;
    return commit(RecordChange::move_cleaning, record_of(kShard).epoch);
  }
  Story& finish_move() {
    record_of(kShard).phase = MovePhase::none;
    record_of(kShard).move = MoveId{};
    return commit(RecordChange::move_finished, record_of(kShard).epoch);
  }
  Story& report_lost() {
    record_of(kShard).is_data_lost = true;
    record_of(kShard).owner = kNoNode;
    return commit(RecordChange::reported_lost, record_of(kShard).epoch);
  }
  // Commits the record as the test has left it.
  Story& commit(RecordChange change, Epoch planned_on, MoverEpoch asked_by = MoverEpoch{1}, ShardId shard = kShard) {
    position_ = next(position_);
    return commit_at(position_, change, planned_on, asked_by, shard).step();
  }
  Story& commit_at(DirectoryPosition position, RecordChange change, Epoch planned_on, MoverEpoch asked_by,
                   ShardId shard) {
    position_ = position;
    return tell(kRouter, RecordCommitted{position, change, planned_on, asked_by, record_of(shard)});
  }
  Story& step() { return tell(kRouter, DirectoryStepped{position_}); }
  ShardRecord& record_of(ShardId shard) { return records_[shard.value]; }
  Epoch epoch() { return record_of(kShard).epoch; }
  MoveId move() { return record_of(kShard).move; }
  DirectoryPosition position() const { return position_; }

  // A move of the shard from its owner to `target`, up to the fence.
  Story& move_up_to_fence(NodeId target) {
    begin_move(target).tell(target, CopyCreated{kShard, record_of(kShard).range, move()});
    return advance_to(MovePhase::copying).advance_to(MovePhase::catching_up).advance_to(MovePhase::fenced);
  }
  Story& confirm_barrier(NodeId source) { return tell(source, BarrierConfirmed{move(), kShard, LogPosition{9}}); }

  // Nodes.

  Story& hold_lease(NodeId node, std::int64_t until_ms) { return tell(node, LeaseHeld{kShard, epoch(), ms(until_ms)}); }
  Story& claim(NodeId node, std::int64_t until_ms) {
    return tell(node, ClaimChanged{kShard, record_of(kShard).range, epoch(), TrueTime{until_ms * 1'000'000}});
  }
  Story& serve(NodeId node, RequestId id = request(1), std::uint8_t attempt = 1) {
    return serve_under(epoch(), node, id, attempt);
  }
  Story& serve_under(Epoch epoch, NodeId node, RequestId id = request(1), std::uint8_t attempt = 1) {
    return tell(node, Served{kShard, kKey, epoch, epoch, epoch, {id, attempt}, OperationKind::write});
  }
  Story& answer(NodeId node, Signal signal, Epoch asked, Epoch highest, NodeId redirect_to = kNoNode,
                std::uint8_t attempt = 1) {
    return tell(node, Answered{kShard, kKey, asked, highest, {request(1), attempt}, signal, redirect_to});
  }
  Story& apply(NodeId node, Version version, ApplyCause cause = ApplyCause::client, RequestId id = {}, Key key = kKey) {
    return tell(node, Applied{kShard, key, version, cause, false, id, move()});
  }

  // A client's write, of which the node tells which attempt it was.
  Story& execute(NodeId node, std::uint8_t attempt, RequestId id = request(1)) {
    const Version version{epoch(), LogPosition{++written_}};
    return tell(node, Applied{kShard, kKey, version, ApplyCause::client, false, id, MoveId{}, attempt});
  }

  // Clients.

  Story& hop(HopCause cause, NodeId to, Epoch carried, std::uint8_t attempt) {
    return tell(kRouter, Hop{{request(1), attempt}, cause, to, kKey, carried});
  }
  Story& invoke(RequestId id, OperationKind kind, Value argument = absent(), Value expected = absent()) {
    return tell(kRouter, Invoked{id, {kind, kKey, argument, expected}});
  }
  Story& ok(RequestId id, Value value = absent()) {
    return tell(kRouter, Returned{id, {OutcomeKind::ok, value}, false, false});
  }
  Story& refused(RequestId id) { return tell(kRouter, Returned{id, {OutcomeKind::refused, {}}, false, false}); }
  Story& unknown(RequestId id) { return tell(kRouter, Returned{id, {OutcomeKind::unknown, {}}, true, false}); }
  // One operation after all before it and before all after it.
  Story& run(OperationKind kind, Value argument, Value answer = absent()) {
    const RequestId id{ClientId{3}, ++sequence_};
    return invoke(id, kind, argument).ok(id, answer);
  }
  Story& write(std::int64_t n) { return run(OperationKind::write, number(n)); }
  Story& remove() { return run(OperationKind::remove, absent()); }
  Story& read(Value answer) { return run(OperationKind::read, absent(), answer); }
  Story& append(std::uint16_t item) { return run(OperationKind::append, list_of_one(item)); }
  Story& increment(std::int64_t answer) { return run(OperationKind::increment, absent(), number(answer)); }

  Story& heal() { return tell(kRouter, Healed{}); }
  Story& finish(std::int64_t end_ms) {
    judge_.finish(TrueTime{end_ms * 1'000'000});
    return *this;
  }

  const Findings& findings() const { return judge_.findings(); }
  Judge& judge() { return judge_; }
  static constexpr Instant ms(std::int64_t count) { return Instant{count * 1'000'000}; }

 private:
  Story& grant_as(RecordChange change, ShardId shard, NodeId owner, std::int64_t until_ms) {
    ShardRecord& record = record_of(shard);
    const Epoch planned_on = record.epoch;
    record.owner = owner;
    record.epoch = epoch_of(next(position_));
    record.lease_until = ms(until_ms);
    position_ = next(position_);
    commit_at(position_, change, planned_on, MoverEpoch{}, shard);
    // A first range that does not fill the key space waits for the others, or for step().
    return record.range == keys(0, 16) || change != RecordChange::created ? step() : *this;
  }

  Judge judge_;
  TrueTime now_;
  DirectoryPosition position_;
  std::array<ShardRecord, 4> records_{};
  std::uint32_t sequence_ = 0;
  std::uint64_t written_ = 0;
};

// The run is clean, and the clause was really checked in it.
inline testing::AssertionResult accepts(const Story& story, ClauseId id) {
  for (const Violation& violation : story.findings().violations()) {
    return testing::AssertionFailure() << clause(violation.clause).text_id << ": " << violation.message;
  }
  if (story.findings().checks(id) == 0) {
    return testing::AssertionFailure() << clause(id).text_id << " was never checked";
  }
  return testing::AssertionSuccess();
}

// The run violates this clause, maybe others too, and the message of this one names all of these.
inline testing::AssertionResult rejects_among_others(const Story& story, ClauseId id,
                                                     std::initializer_list<std::string_view> names) {
  for (const Violation& violation : story.findings().violations()) {
    if (violation.clause != id) {
      continue;
    }
    for (const std::string_view name : names) {
      if (violation.message.find(name) == std::string::npos) {
        return testing::AssertionFailure() << "\"" << name << "\" is not named; " << violation.message;
      }
    }
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << clause(id).text_id << " was not violated";
}

// The run violates this clause and no other, and the message names all of these.
inline testing::AssertionResult rejects(const Story& story, ClauseId id,
                                        std::initializer_list<std::string_view> names) {
  const auto& violations = story.findings().violations();
  if (violations.empty()) {
    return testing::AssertionFailure() << "nothing was violated";
  }
  testing::AssertionResult result = testing::AssertionSuccess();
  for (const Violation& violation : violations) {
    if (violation.clause != id) {
      result = testing::AssertionFailure();
    }
  }
  for (const std::string_view name : names) {
    if (violations[0].message.find(name) == std::string::npos) {
      result = testing::AssertionFailure() << "\"" << name << "\" is not named; ";
    }
  }
  for (const Violation& violation : violations) {
    result << clause(violation.clause).text_id << ": " << violation.message << "; ";
  }
  return result;
}

}  // namespace shardcheck::story
