#include "impl/router.h"

#include <algorithm>

#include "impl/overloaded.h"
#include "spec/assert.h"
#include "spec/key_set.h"

namespace shardcheck::impl {
namespace {

constexpr TimerToken kPoll{0xffffU};  // any smaller token is the ClientId of a request
constexpr Duration kCostOfMessage = microseconds(3);

}  // namespace

Router::Router(const ClusterOptions& options, NodeId self)
    : options_(options), decisions_(options.mutant), self_(self) {}

void Router::handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs) {
  link_.begin(input, now);
  std::visit(Overloaded{
                 [&](const Started<Record>&) { start(now, outputs); },
                 [&](const Received<Message>& received) {
                   outputs.cost = kCostOfMessage;
                   receive(received.from, received.message, now, outputs);
                 },
                 [&](const TimerFired& fired) {
                   if (fired.token == kPoll) {
                     on_poll_timer(now, outputs);
                     return;
                   }
                   auto& slot = clients_[fired.token.value];
                   if (slot && now >= slot->deadline) {
                     on_deadline(*slot, now, outputs);
                   }
                 },
                 [](const Synced&) {},
             },
             input);
}

void Router::start(Instant now, ClusterOutputs& outputs) {
  map_.assign(options_.shard_ids(), Known{});
  clients_.assign(options_.clients, std::nullopt);
  link_ = DirectoryLink(options_, now, self_.value);  // each begins with another member: any of them may answer a poll
  needed_ = DirectoryPosition{};
  refresh_deadline_.reset();
  outputs.wake_at(now + options_.poll_interval, kPoll);
}

void Router::on_poll_timer(Instant now, ClusterOutputs& outputs) {
  link_.poll({}, outputs);
  outputs.wake_at(now + options_.poll_interval, kPoll);
}

void Router::receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs) {
  std::visit(Overloaded{
                 [&](const ClientRequest& it) { on_request(it, now, outputs); },
                 [&](const Reply& it) { on_reply(it, now, outputs); },
                 [&](const Refusal& it) { on_refusal(it, now, outputs); },
                 [&](const RecordUpdate& it) {
                   const bool is_known = map_[it.record.shard.value].changed_at != DirectoryPosition{};
                   if (decisions_.learns_from_answers() || !is_known) {
                     learn(it.record, it.changed_at, outputs);
                     if (it.sibling.exists()) {
                       learn(it.sibling.record, it.changed_at, outputs);
                     }
                   }
                   link_.take_in(it);
                   refresh_deadline_.reset();
                   resume_waiting(now, outputs);
                 },
                 [&](const UpToDate&) { refresh_deadline_.reset(); },
                 [&](const NotLeader& it) {
                   if (link_.turned_away(from, it) && refresh_deadline_) {
                     link_.poll(needed_, outputs);
                   }
                 },
                 [](const auto&) {},  // not for a router
             },
             message);
}

// A newer record replaces an older one, never the other way round.
void Router::learn(const ShardRecord& record, DirectoryPosition changed_at, ClusterOutputs& outputs) {
  Known& known = map_[record.shard.value];
  if (changed_at <= known.changed_at) {
    return;
  }
  known = {record, changed_at};
  tell_learned(known, outputs);
}

// Of the record only what is not known from newer ones, piece by piece, is ever followed.
void Router::tell_learned(const Known& known, ClusterOutputs& outputs) const {
  const KeyRange range = known.record.range;
  Key lo = range.lo;
  while (lo < range.hi) {
    KeyRange piece{lo, range.hi};
    for (const Known& newer : map_) {
      const KeyRange other = newer.record.range;
      if (newer.changed_at <= known.changed_at || !other.overlaps(piece)) {
        continue;
      }
      if (other.contains(lo)) {
        piece = {lo, lo};
        lo = other.hi;
        break;
      }
      piece.hi = std::min(piece.hi, other.lo);
    }
    if (!piece.is_empty()) {
      outputs.observe(RouterLearned{piece, known.record.owner, known.record.epoch, known.changed_at});
      lo = piece.hi;
    }
  }
}

// Where records overlap, because a split or a merge is known in part only, the one that changed last is right.
const Router::Known* Router::find(Key key) const {
  const Known* found = nullptr;
  for (const Known& known : map_) {
    if (known.record.range.contains(key) && (found == nullptr || found->changed_at < known.changed_at)) {
      found = &known;
    }
  }
  return found;
}

std::optional<Router::Outstanding>& Router::outstanding_of(const Attempt& attempt) {
  auto& slot = clients_[attempt.request.client.value];
  return slot && slot->attempt == attempt && slot->state == State::sent ? slot : nobody_;
}

void Router::on_request(const ClientRequest& asked, Instant now, ClusterOutputs& outputs) {
  auto& slot = clients_[asked.request.client.value];
  slot = Outstanding{};
  slot->asked = asked;
  try_again(*slot, HopCause::first, now, outputs);
}

void Router::try_again(Outstanding& it, HopCause cause, Instant now, ClusterOutputs& outputs) {
  const Known* known = find(it.asked.operation.key);
  const bool is_lost = known != nullptr && known->record.is_data_lost;
  if (it.tries >= options_.attempts_max || is_lost) {
    give_up(it, outputs);
  } else if (known != nullptr) {
    try_at(it, cause, known->record.owner, known->record.epoch, now, outputs);
  } else {
    try_at(it, cause, guess(it), Epoch{}, now, outputs);
  }
}

void Router::try_at(Outstanding& it, HopCause cause, NodeId to, Epoch epoch, Instant now, ClusterOutputs& outputs) {
  ++it.tries;
  const RequestId id = decisions_.id_of_retry(it.asked.request, it.attempts);
  it.attempt = {id, it.attempts++};
  it.epoch = epoch;
  it.state = State::sent;
  it.deadline = now + options_.attempt_timeout;
  outputs.send(to, Request{it.attempt, it.epoch, it.asked.operation});
  outputs.observe(Hop{it.attempt, cause, to, it.asked.operation.key, it.epoch});
  wake(it, outputs);
}

// Where the redirect points, if the map says nothing of the key: an owner that has not heard of its split yet names the
// parent, which is too old for the map and yet the right one to follow.
void Router::follow(Outstanding& it, const ShardRecord& named, Instant now, ClusterOutputs& outputs) {
  const Key key = it.asked.operation.key;
  const bool is_usable = find(key) == nullptr && named.range.contains(key) && named.owner != kNoNode;
  if (is_usable && it.tries < options_.attempts_max) {
    try_at(it, HopCause::redirected, named.owner, named.epoch, now, outputs);
  } else {
    try_again(it, HopCause::redirected, now, outputs);
  }
}

// With nothing known about a key, any node will say who owns it: ask one after the other.
NodeId Router::guess(const Outstanding& it) const {
  const auto index = (it.asked.operation.key.value + it.attempts + 1U) % options_.storage_nodes;
  return Roles(options_).storage(static_cast<std::uint16_t>(index));
}

// All who need a newer map share one refresh.
void Router::wait_for_map(Outstanding& it, HopCause cause, Instant now, ClusterOutputs& outputs) {
  it.state = State::waiting_for_map;
  it.cause = cause;
  it.deadline = now + options_.attempt_timeout;
  wake(it, outputs);
  if (!refresh_deadline_ || now >= *refresh_deadline_) {
    refresh_deadline_ = now + options_.attempt_timeout;
    outputs.observe(RefreshStarted{cause});
    link_.poll(needed_, outputs);
  }
}

void Router::resume_waiting(Instant now, ClusterOutputs& outputs) {
  for (auto& slot : clients_) {
    if (!slot || slot->state != State::waiting_for_map) {
      continue;
    }
    const Known* known = find(slot->asked.operation.key);
    if (known != nullptr && known->record.epoch > slot->epoch) {
      try_again(*slot, slot->cause, now, outputs);
    }
  }
}

void Router::on_reply(const Reply& reply, Instant now, ClusterOutputs& outputs) {
  auto& slot = outstanding_of(reply.attempt);
  if (!slot) {
    return;
  }
  if (slot->asked.operation.kind == OperationKind::scan && goes_on(*slot, reply)) {
    try_again(*slot, HopCause::first, now, outputs);
    return;
  }
  const bool is_scan = slot->asked.operation.kind == OperationKind::scan;
  const Outcome outcome = is_scan ? Outcome{reply.outcome.kind, slot->found} : reply.outcome;
  outputs.send(kNoNode, ClientReply{slot->asked.request, outcome, slot->had_transient, slot->had_unanswered});
  slot.reset();
}

// A scan is answered piece by piece, each by the owner of its keys; the next piece begins where the last one ended.
bool Router::goes_on(Outstanding& it, const Reply& reply) {
  Operation& operation = it.asked.operation;
  const KeyRange left = keys_of(operation);
  KeySet found = it.found.kind == ValueKind::keys ? KeySet(it.found) : KeySet(left.lo);
  if (reply.outcome.value.kind == ValueKind::keys) {
    found.add(KeySet(reply.outcome.value));
  }
  it.found = found.value();
  operation.key = std::max(left.lo, reply.answered_to);
  it.tries = 0;
  return operation.key < left.hi && left.lo < operation.key;
}

void Router::on_refusal(const Refusal& refusal, Instant now, ClusterOutputs& outputs) {
  auto& slot = outstanding_of(refusal.attempt);
  if (!slot) {
    return;
  }
  switch (refusal.signal) {
    case Signal::stale_epoch: {
      needed_ = std::max(needed_, DirectoryPosition{refusal.highest_seen.value});
      const Known* known = find(slot->asked.operation.key);
      const bool is_map_newer = known != nullptr && known->record.epoch > slot->epoch;
      if (is_map_newer || !decisions_.learns_from_answers()) {
        try_again(*slot, HopCause::stale, now, outputs);
      } else {
        wait_for_map(*slot, HopCause::stale, now, outputs);
      }
      return;
    }
    case Signal::not_owner:
      if (decisions_.learns_from_answers() || find(slot->asked.operation.key) == nullptr) {
        learn(refusal.known, refusal.known_at, outputs);
      }
      follow(*slot, refusal.known, now, outputs);
      return;
    case Signal::transient:
      slot->had_transient = true;
      slot->state = State::backing_off;
      slot->cause = HopCause::transient;
      slot->deadline = now + options_.transient_backoff;
      wake(*slot, outputs);
      return;
  }
}

void Router::on_deadline(Outstanding& it, Instant now, ClusterOutputs& outputs) {
  switch (it.state) {
    case State::sent:
      it.had_unanswered = true;
      try_again(it, HopCause::unanswered, now, outputs);
      return;
    case State::backing_off: try_again(it, HopCause::transient, now, outputs); return;
    case State::waiting_for_map:
      // The refresh itself went unanswered; it counts as an attempt, so that waiting has an end.
      if (++it.tries >= options_.attempts_max) {
        give_up(it, outputs);
      } else {
        wait_for_map(it, it.cause, now, outputs);
      }
      return;
  }
}

void Router::give_up(const Outstanding& it, ClusterOutputs& outputs) {
  const OutcomeKind kind = it.had_transient || it.had_unanswered ? OutcomeKind::unknown : OutcomeKind::refused;
  outputs.send(kNoNode, ClientReply{it.asked.request, {kind, absent()}, it.had_transient, it.had_unanswered});
  clients_[it.asked.request.client.value].reset();
}

void Router::wake(const Outstanding& it, ClusterOutputs& outputs) {
  outputs.wake_at(it.deadline, TimerToken{it.asked.request.client.value});
}

}  // namespace shardcheck::impl
