#include "harness/adapters/byte_protocol.h"

#include <fmt/format.h>

#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

#include "sim/digest.h"

namespace shardcheck::harness {
namespace {

constexpr std::int64_t kHeaderBytes = 40;

template <class Fact, class... Kinds>
constexpr bool is_one_of = (std::is_same_v<Fact, Kinds> || ...);

bool is_node(NodeId id, const Bounds& bounds) { return id == kNoNode || id.value < bounds.nodes; }
bool is_client(ClientId id, const Bounds& bounds) { return id.value < bounds.clients; }
bool is_shard(ShardId id, const Bounds& bounds) { return id.value < bounds.shards; }

template <class Fact>
std::string fault_of_ids(const Fact& fact, const Bounds& bounds) {
  bool is_right = true;
  if constexpr (requires { fact.shard; }) {
    is_right = is_right && is_shard(fact.shard, bounds);
  }
  if constexpr (requires { fact.holder; }) {
    is_right = is_right && is_node(fact.holder, bounds);
  }
  if constexpr (requires { fact.redirect_to; }) {
    is_right = is_right && is_node(fact.redirect_to, bounds);
  }
  if constexpr (requires { fact.owner; }) {
    is_right = is_right && is_node(fact.owner, bounds);
  }
  if constexpr (requires { is_node(fact.to, bounds); }) {
    is_right = is_right && is_node(fact.to, bounds);
  }
  if constexpr (requires { fact.request; }) {
    is_right = is_right && is_client(fact.request.client, bounds);
  }
  if constexpr (requires { fact.attempt.request; }) {
    is_right = is_right && is_client(fact.attempt.request.client, bounds);
  }
  if constexpr (requires { fact.record; }) {
    is_right = is_right && is_shard(fact.record.shard, bounds) && is_node(fact.record.owner, bounds) &&
               is_node(fact.record.source, bounds) && is_node(fact.record.target, bounds) &&
               is_node(fact.record.mover, bounds);
  }
  return is_right ? "" : "told a fact about a node, shard or client that does not exist";
}

}  // namespace

std::string fault_of(const Observation& fact, const Bounds& bounds) {
  return std::visit(
      [&]<class Fact>(const Fact& it) -> std::string {
        if constexpr (is_one_of<Fact, Invoked, Returned, FaultInjected, Crashed, Restarted, Healed>) {
          return "told a fact that the world tells by itself";
        } else {
          return fault_of_ids(it, bounds);
        }
      },
      fact);
}

void ByteClusterContext::fail(NodeId process, const std::string& what) {
  if (error.empty()) {
    error = process == kNoNode ? what : fmt::format("process {} {}", process.value, what);
  }
}

ByteProcess& ByteProcess::operator=(const ByteProcess& other) {
  context_ = other.context_;
  id_ = other.id_;
  process_.reset();
  return *this;
}

void ByteProcess::handle(const ByteMessageInput& input, Instant now, ByteMessageOutputs& outputs) {
  if (!context_->error.empty()) {
    return;
  }
  const auto* received = std::get_if<Received<ByteMessage>>(&input);
  if (id_ == context_->clients) {
    if (received != nullptr) {
      pass_on(*received, outputs);
    }
    return;
  }
  try {
    if (received != nullptr) {
      const NodeId from = received->from == context_->clients ? kNoNode : received->from;
      call(Received<std::string>{from, received->message.bytes}, now);
    } else if (const auto* started = std::get_if<Started<std::string>>(&input)) {
      process_ = context_->cluster->make(id_);
      call(*started, now);
    } else if (const auto* fired = std::get_if<TimerFired>(&input)) {
      call(*fired, now);
    } else {
      call(std::get<Synced>(input), now);
    }
    check_outputs();
    hand_over(outputs);
  } catch (const std::exception& thrown) {
    context_->fail(id_, fmt::format("threw: {}", thrown.what()));
  } catch (...) {
    context_->fail(id_, "threw something");
  }
}

// Requests come from outside of the world and answers leave it.
void ByteProcess::pass_on(const Received<ByteMessage>& received, ByteMessageOutputs& outputs) const {
  outputs.send(received.from == kNoNode ? received.message.on_to : kNoNode, received.message);
}

void ByteProcess::call(const ByteInput& input, Instant now) {
  context_->outputs.clear();
  if (process_ == nullptr) {
    context_->fail(id_, "was not made");
    return;
  }
  process_->handle(input, now, context_->outputs);
}

void ByteProcess::check_outputs() {
  const ByteOutputs& own = context_->outputs;
  for (const Observation& fact : own.observations) {
    if (const std::string fault = fault_of(fact, context_->bounds); !fault.empty()) {
      context_->fail(id_, fault);
    }
  }
  for (const ByteOutputs::Send& send : own.sends) {
    if (send.to != kNoNode && send.to >= context_->clients) {
      context_->fail(id_, fmt::format("sent a message to process {}, which does not exist", send.to.value));
    }
  }
  if (own.cost < Duration{}) {
    context_->fail(id_, "declared a cost below zero");
  }
}

void ByteProcess::hand_over(ByteMessageOutputs& outputs) {
  if (!context_->error.empty()) {
    return;
  }
  ByteOutputs& own = context_->outputs;
  for (ByteOutputs::Send& send : own.sends) {
    const std::uint8_t kind = context_->kind_of(send.message);
    outputs.sends.push_back(
        {send.to == kNoNode ? context_->clients : send.to, {std::move(send.message), kNoNode, kind}});
  }
  for (const ByteOutputs::Timer& timer : own.timers) {
    outputs.wake_at(timer.at, timer.token);
  }
  std::swap(outputs.records, own.records);
  std::swap(outputs.observations, own.observations);
  outputs.wants_sync = own.wants_sync;
  outputs.cost = own.cost;
}

std::int64_t ByteProtocol::bytes_of(const Message& message) {
  return kHeaderBytes + static_cast<std::int64_t>(message.bytes.size());
}

std::uint64_t ByteProtocol::digest_of(const Message& message) {
  sim::Digest digest;
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < message.bytes.size(); ++i) {
    word = word << 8U | static_cast<std::uint8_t>(message.bytes[i]);
    if (i % 8 == 7) {
      digest.add(word);
    }
  }
  digest.add(word);
  digest.add(message.bytes.size());
  return digest.value();
}

}  // namespace shardcheck::harness
