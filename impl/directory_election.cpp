// How the members of the directory agree on a leader: the second part of directory_log.h.
#include <bit>
#include <utility>

#include "impl/directory_log.h"
#include "spec/assert.h"

namespace shardcheck::impl {

NodeId DirectoryLog::leader(Instant now) const {
  if (is_leader()) {
    return self_;
  }
  return leader_ != kNoNode && now < heard_at_ + options_.election_timeout ? leader_ : kNoNode;
}

bool DirectoryLog::is_in_touch(Instant now) const {
  if (!is_leader()) {
    return leader(now) != kNoNode;
  }
  int near = 1;
  for (std::uint16_t i = 0; i < options_.directories; ++i) {
    near += NodeId{i} != self_ && now < peers_[i].heard_at + options_.election_timeout ? 1 : 0;
  }
  return near >= majority();
}

// Members wait for different times, and in another order in each term, so that two do not stand at once for long.
void DirectoryLog::wait_for_leader(Instant now, ClusterOutputs& outputs) {
  const std::int64_t turn = (self_.value + term_.value) % options_.directories;
  deadline_ = now + options_.election_timeout + options_.election_spread * turn;
  if (!has_election_timer_ && options_.directories > 1) {
    has_election_timer_ = true;
    outputs.wake_at(deadline_, kElection);
  }
}

void DirectoryLog::on_timer(TimerToken token, Instant now, ClusterOutputs& outputs) {
  if (token == kBeat) {
    has_beat_timer_ = false;
    if (is_leader()) {
      beat(now, outputs);
    }
    return;
  }
  has_election_timer_ = false;
  if (is_leader()) {
    return;
  }
  if (now >= deadline_) {
    begin_trial(now, outputs);
  } else {
    has_election_timer_ = true;
    outputs.wake_at(deadline_, kElection);
  }
}

// Would they vote for it? Only then does it begin a term, which ends the one of the leader there may be.
void DirectoryLog::begin_trial(Instant now, ClusterOutputs& outputs) {
  role_ = Role::trying;
  leader_ = kNoNode;
  votes_ = 1U << self_.value;
  ask_for_votes(next(term_), true, outputs);
  wait_for_leader(now, outputs);
}

void DirectoryLog::stand(Instant now, ClusterOutputs& outputs) {
  role_ = Role::candidate;
  leader_ = kNoNode;
  votes_ = 0;
  term_ = next(term_);
  vote_ = self_;
  keep(Voted{term_, vote_}, outputs);
  once_durable(OwnVote{term_}, now, outputs);
  wait_for_leader(now, outputs);
}

void DirectoryLog::ask_for_votes(Term term, bool is_trial, ClusterOutputs& outputs) const {
  for (std::uint16_t i = 0; i < options_.directories; ++i) {
    if (NodeId{i} != self_) {
      outputs.send(NodeId{i}, VoteRequest{term, last(), term_at(last()), is_trial});
    }
  }
}

bool DirectoryLog::is_as_long_as_ours(const VoteRequest& it) const {
  return std::pair(it.last_term, it.last) >= std::pair(term_at(last()), last());
}

void DirectoryLog::on_vote_request(NodeId from, const VoteRequest& it, Instant now, ClusterOutputs& outputs) {
  if (it.is_trial) {
    const bool may_stand = it.term > term_ && is_as_long_as_ours(it) && !is_in_touch(now);
    once_durable(Send{from, Vote{may_stand ? it.term : term_, may_stand, true}}, now, outputs);
    return;
  }
  if (it.term > term_) {
    adopt(it.term, now, outputs);
  }
  const bool is_free = it.term == term_ && (vote_ == kNoNode || vote_ == from);
  const bool is_granted = is_free && is_as_long_as_ours(it);
  if (is_granted) {
    role_ = Role::follower;
    if (vote_ != from) {
      vote_ = from;
      keep(Voted{term_, vote_}, outputs);
    }
    wait_for_leader(now, outputs);
  }
  once_durable(Send{from, Vote{term_, is_granted, false}}, now, outputs);
}

void DirectoryLog::on_vote(NodeId from, const Vote& it, Instant now, ClusterOutputs& outputs) {
  if (it.is_granted) {
    const bool is_awaited =
        it.is_trial ? role_ == Role::trying && it.term == next(term_) : role_ == Role::candidate && it.term == term_;
    if (is_awaited) {
      count_vote(from, now, outputs);
    }
  } else if (it.term > term_) {
    const bool tries = role_ == Role::trying;
    adopt(it.term, now, outputs);
    if (tries) {
      begin_trial(now, outputs);
    }
  }
}

void DirectoryLog::count_vote(NodeId from, Instant now, ClusterOutputs& outputs) {
  votes_ |= 1U << from.value;
  if (std::popcount(votes_) < majority()) {
    return;
  }
  if (role_ == Role::trying) {
    stand(now, outputs);
  } else {
    lead(now, outputs);
  }
}

// Entries of earlier terms are committed only together with one of this term: the first one is for that alone.
void DirectoryLog::lead(Instant now, ClusterOutputs& outputs) {
  role_ = Role::leader;
  leader_ = self_;
  own_durable_to_ = last();  // the vote is durable, and so is everything before it
  for (Peer& it : peers_) {
    it = {DirectoryPosition{}, last(), now, now, false};
  }
  Command begin;
  begin.kind = CommandKind::begin_term;
  propose(begin, now, outputs);
  if (options_.directories > 1 && !has_beat_timer_) {
    has_beat_timer_ = true;
    outputs.wake_at(now + options_.heartbeat_interval, kBeat);
  }
}

// A later term than the own: whatever this member was in the old one, it is no more.
void DirectoryLog::adopt(Term term, Instant now, ClusterOutputs& outputs) {
  const bool led = is_leader();
  term_ = term;
  vote_ = kNoNode;
  role_ = Role::follower;
  leader_ = kNoNode;
  keep(Voted{term_, vote_}, outputs);
  if (led) {
    wait_for_leader(now, outputs);
  }
}

void DirectoryLog::follow(NodeId leader, Term term, Instant now, ClusterOutputs& outputs) {
  if (term > term_) {
    adopt(term, now, outputs);
  }
  SHARDCHECK_ASSERT(role_ != Role::leader);
  role_ = Role::follower;
  leader_ = leader;
  heard_at_ = now;
  wait_for_leader(now, outputs);
}

}  // namespace shardcheck::impl
