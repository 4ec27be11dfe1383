// When the directory takes a lease for run out, and who takes over then.
//
// A holder acts only while its own clock reads less than the lease's end. Clocks are within `clock_offset_max` of true
// time: once the directory's clock reads the end and twice that, true time is past the end and once that, and so no
// clock reads less than the end any more. Only then may another member be granted the range.
//
// A directory that was not there (restarted, paused, or led by somebody else) has heard no renewals: whatever ran out
// meanwhile says nothing about its holder. For one period of grace, a lease and a renewal interval, nothing counts as
// run out, so that every holder that is alive can renew first. Grace only delays a grant; it never extends a lease.
#pragma once

#include <optional>
#include <vector>

#include "impl/decisions.h"
#include "impl/messages.h"
#include "impl/options.h"

namespace shardcheck::impl {

class LeaseKeeper {
 public:
  LeaseKeeper() = default;
  explicit LeaseKeeper(const ClusterOptions& options)
      : options_(options), decisions_(options.mutant), heard_at_(Roles(options).processes()) {}

  // How often look() is to be called.
  Duration interval() const { return options_.lease_duration / 6; }

  // The directory begins to decide: after a start, or as a new leader.
  void begin(Instant now) {
    begin_grace(now);
    awake_at_ = now;
  }
  // Called with every input: a gap in them is a stall.
  void is_awake(Instant now) {
    if (awake_at_ + interval() * 2 < now) {
      begin_grace(now);
    }
    awake_at_ = now;
  }
  void hear(NodeId from, Instant now) {
    if (from.value < heard_at_.size()) {
      heard_at_[from.value] = now;
    }
  }

  // The command by which another member takes the range over, if its lease has run out.
  std::optional<Command> fail_over(const ShardRecord& record, Instant now) const {
    const Instant expired_by = decisions_.expired_by(now, options_.clock_offset_max);
    if (now < grace_until_ || record.is_data_lost || expired_by < record.lease_until) {
      return std::nullopt;
    }
    Command command;
    command.kind = CommandKind::fail_over;
    command.shard = record.shard;
    command.planned_on = record.epoch;
    command.expired_by = expired_by;
    command.target = successor(record, now);
    return command.target == kNoNode ? std::nullopt : std::optional(command);
  }

 private:
  // Of the other members the one heard of last, the first of equal ones. If none was within the time of a lease, each
  // in turn: who is alive may have had nothing to say here.
  NodeId successor(const ShardRecord& record, Instant now) const {
    const Instant recently = now - options_.lease_duration;
    NodeId heard_last = kNoNode;
    NodeId lowest = kNoNode;
    NodeId after_owner = kNoNode;
    record.members.for_each([&](NodeId member) {
      if (member == record.owner) {
        return;
      }
      const Instant heard_at = heard_at_[member.value];
      if (heard_at >= recently && (heard_last == kNoNode || heard_at_[heard_last.value] < heard_at)) {
        heard_last = member;
      }
      lowest = lowest == kNoNode ? member : lowest;
      after_owner = after_owner == kNoNode && record.owner < member ? member : after_owner;
    });
    if (heard_last != kNoNode) {
      return heard_last;
    }
    return after_owner != kNoNode ? after_owner : lowest;
  }

  void begin_grace(Instant now) {
    if (decisions_.gives_grace_after_stall()) {
      grace_until_ = now + options_.lease_duration + options_.lease_duration / 3;
    }
  }

  ClusterOptions options_;
  Decisions decisions_;
  std::vector<Instant> heard_at_;  // by NodeId
  Instant awake_at_;
  Instant grace_until_;
};

}  // namespace shardcheck::impl
