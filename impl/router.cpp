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
    : options_(options),
      decisions_(options.mutant),
      self_(self),
      kind_(options.router_kinds[Roles(options).index_of_router(self)]) {}

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
                     link_.poll({}, outputs);
                     outputs.wake_at(now + options_.poll_interval, kPoll);
                     return;
                   }
                   auto& slot = clients_[fired.token.value];
                   CountedTimers& timers = timers_[fired.token.value];
                   if (!slot) {
                     timers.fired();
                   } else if (timers.is_due(slot->deadline, fired.token, now, outputs)) {
                     on_deadline(*slot, now, outputs);
                   }
                 },
                 [](const Synced&) {},
             },
             input);
}

void Router::start(Instant now, ClusterOutputs& outputs) {
  map_.assign(options_.shard_ids(), Known{});
  parted_.clear();
  clients_.assign(options_.clients, std::nullopt);
  timers_.assign(options_.clients, CountedTimers{});
  link_ = DirectoryLink(options_, now, self_.value);  // each begins with another member: any of them may answer a read
  lookup_ = DirectoryLookup();
  refresh_.reset();
  if (kind_ == RouterKind::routing_tier) {
    link_.poll({}, outputs);
  }
  if (has_map()) {
    outputs.wake_at(now + options_.poll_interval, kPoll);
  }
}

void Router::receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs) {
  std::visit(
      Overloaded{
          [&](const ClientRequest& it) { on_request(it, now, outputs); },
          [&](const Reply& it) { on_reply(it, now, outputs); },
          [&](const Refusal& it) { on_refusal(from, it, now, outputs); },
          [&](const RecordUpdate& it) { on_update(it, now, outputs); },
          [&](const TopTable& it) { lookup_.take_in(it, link_, outputs); },
          [&](const LookupResult& it) { on_looked_up(it, now, outputs); },
          [&](const UpToDate&) { resume_waiting({Key{0}, Key{UINT32_MAX}}, now, outputs); },
          [&](const NotLeader& it) { on_turned_away(from, it, outputs); }, [](const auto&) {},  // not for a router
      },
      message);
}

std::optional<Router::Outstanding>& Router::outstanding_of(const Attempt& attempt) {
  auto& slot = clients_[attempt.request.client.value];
  return slot && slot->attempt == attempt && slot->state == State::sent ? slot : nobody_;
}

void Router::on_request(const ClientRequest& asked, Instant now, ClusterOutputs& outputs) {
  auto& slot = clients_[asked.request.client.value];
  slot = Outstanding{};
  slot->asked = asked;
  begin(*slot, now, outputs);
}

void Router::begin(Outstanding& it, Instant now, ClusterOutputs& outputs) {
  const bool knows_where = find(it.asked.operation.key) != nullptr;
  if (kind_ == RouterKind::direct_reads || (kind_ == RouterKind::routing_tier && !knows_where)) {
    wait_for_map(it, HopCause::first, Epoch{}, now, outputs);
  } else if (kind_ == RouterKind::coordinator) {
    send(it, HopCause::first, guess(it), Epoch{}, now, outputs);
  } else {
    try_again(it, HopCause::first, now, outputs);
  }
}

void Router::try_again(Outstanding& it, HopCause cause, Instant now, ClusterOutputs& outputs) {
  const Known* known = find(it.asked.operation.key);
  if (known != nullptr && known->record.is_data_lost) {
    give_up(it, outputs);
    return;
  }
  send(it, cause, known != nullptr ? known->record.owner : guess(it), known != nullptr ? known->record.epoch : Epoch{},
       now, outputs);
}

void Router::send(Outstanding& it, HopCause cause, NodeId to, Epoch epoch, Instant now, ClusterOutputs& outputs) {
  if (it.tries >= options_.attempts_max) {
    give_up(it, outputs);
    return;
  }
  ++it.tries;
  const RequestId id = decisions_.id_of_retry(it.asked.request, it.attempts);
  it.attempt = {id, it.attempts++};
  it.epoch = epoch;
  it.state = State::sent;
  it.deadline = now + options_.attempt_timeout;
  outputs.send(to, Request{it.attempt, epoch, it.asked.operation});
  outputs.observe(Hop{it.attempt, cause, to, it.asked.operation.key, epoch});
  wake(it, outputs);
}

// Where the redirect points, if the map says nothing of the key: an owner that has not heard of its split yet names the
// parent, which is too old for the map and yet the right one to follow.
void Router::follow(Outstanding& it, const ShardRecord& named, Instant now, ClusterOutputs& outputs) {
  const Key key = it.asked.operation.key;
  if (find(key) == nullptr && named.range.contains(key) && named.owner != kNoNode) {
    send(it, HopCause::redirected, named.owner, named.epoch, now, outputs);
  } else {
    try_again(it, HopCause::redirected, now, outputs);
  }
}

// With nothing known about a key, any node will say who owns it: ask one after the other.
NodeId Router::guess(const Outstanding& it) const {
  const auto index = (it.asked.operation.key.value + it.attempts + 1U) % options_.storage_nodes;
  return Roles(options_).storage(static_cast<std::uint16_t>(index));
}

void Router::on_reply(const Reply& reply, Instant now, ClusterOutputs& outputs) {
  auto& slot = outstanding_of(reply.attempt);
  if (!slot) {
    return;
  }
  if (slot->asked.operation.kind == OperationKind::scan && goes_on(*slot, reply)) {
    begin(*slot, now, outputs);
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

void Router::on_refusal(NodeId from, const Refusal& refusal, Instant now, ClusterOutputs& outputs) {
  auto& slot = outstanding_of(refusal.attempt);
  if (!slot) {
    return;
  }
  switch (decisions_.understood_as(refusal.signal)) {
    case Signal::stale_epoch: on_stale(*slot, from, refusal.highest_seen, now, outputs); return;
    case Signal::not_owner:
      if (decisions_.learns_from_answers() || find(slot->asked.operation.key) == nullptr) {
        ShardRecord followed = refusal.known;
        followed.owner = decisions_.owner_in_redirect(refusal.known);
        learn(followed, refusal.known_at, outputs);
      }
      follow(*slot, refusal.known, now, outputs);
      return;
    case Signal::transient:
      slot->had_transient = true;
      if (decisions_.refreshes_after(HopCause::transient)) {
        wait_for_map(*slot, HopCause::transient, Epoch{}, now, outputs);
        return;
      }
      slot->state = State::backing_off;
      slot->cause = HopCause::transient;
      slot->deadline = now + options_.transient_backoff;
      wake(*slot, outputs);
      return;
  }
}

void Router::on_stale(Outstanding& it, NodeId from, Epoch current, Instant now, ClusterOutputs& outputs) {
  const Known* known = find(it.asked.operation.key);
  const bool knows_it = known != nullptr && known->record.epoch >= current && known->record.epoch > it.epoch;
  if (knows_it || !decisions_.learns_from_answers()) {
    try_again(it, HopCause::stale, now, outputs);
  } else if (kind_ == RouterKind::coordinator) {
    send(it, HopCause::stale, from, Epoch{}, now, outputs);
  } else {
    wait_for_map(it, HopCause::stale, current, now, outputs);
  }
}

void Router::on_deadline(Outstanding& it, Instant now, ClusterOutputs& outputs) {
  switch (it.state) {
    case State::sent:
      it.had_unanswered = true;
      if (decisions_.refreshes_after(HopCause::unanswered)) {
        wait_for_map(it, HopCause::unanswered, Epoch{}, now, outputs);
      } else if (kind_ == RouterKind::coordinator) {
        send(it, HopCause::unanswered, guess(it), Epoch{}, now, outputs);
      } else {
        try_again(it, HopCause::unanswered, now, outputs);
      }
      return;
    case State::backing_off: try_again(it, HopCause::transient, now, outputs); return;
    case State::waiting_for_map:
      if (const Known* known = find(it.asked.operation.key);
          it.cause != HopCause::first && known != nullptr && known->record.epoch >= it.needed) {
        try_again(it, it.cause, now, outputs);  // learnt meanwhile from a signal
        return;
      }
      // The read itself went unanswered; it counts as an attempt, so that waiting has an end.
      if (++it.tries >= options_.attempts_max) {
        give_up(it, outputs);
      } else {
        wait_for_map(it, it.cause, it.needed, now, outputs);
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
  const std::uint16_t client = it.asked.request.client.value;
  timers_[client].set(it.deadline, TimerToken{client}, outputs);
}

}  // namespace shardcheck::impl
