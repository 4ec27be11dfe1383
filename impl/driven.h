// For tests: drives one process of the cluster by hand, as a world would, but so that nothing happens unless the test
// says so: messages arrive, timers fire and syncs complete when they are told to. What the last input led to, and the
// syncs since, can be read as lines ("to 3: reply request 0.1 attempt 0 ok nil") or as messages.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "impl/records.h"
#include "spec/process.h"

namespace shardcheck::impl {

constexpr Instant at_ms(std::int64_t ms) { return Instant{ms * 1'000'000}; }

template <class Node>
class Driven {
 public:
  // Started at once, with everything that is on `disk`.
  explicit Driven(Node fresh, std::vector<Record> disk = {})
      : fresh_(std::move(fresh)), node_(fresh_), disk_(std::move(disk)) {
    start();
  }

  Driven& at(std::int64_t ms) {
    now_ = at_ms(ms);
    return *this;
  }
  Driven& receive(NodeId from, const Message& message) { return input(Received<Message>{from, message}); }
  Driven& fire(std::uint32_t token) { return input(TimerFired{TimerToken{token}}); }
  // Everything that was appended so far is durable.
  Driven& sync() {
    synced_ = disk_.size();
    outputs_.records.clear();
    outputs_.wants_sync = false;
    return add(Synced{synced_});
  }
  // Loses what was not synced, and starts again.
  Driven& restart() {
    disk_.resize(synced_);
    return start();
  }
  // Keeps what was not synced, which nobody had been told to be durable, and starts again.
  Driven& restart_with_all() {
    synced_ = disk_.size();
    return start();
  }
  Driven& restart_without_disk() {
    disk_.clear();
    return start();
  }

  Node& node() { return node_; }
  bool wants_sync() const { return outputs_.wants_sync; }
  bool is_silent() const { return outputs_.sends.empty(); }

  // What was sent since the last input or call of this; said() and sent() then know nothing of it.
  auto take_sends() { return std::exchange(outputs_.sends, {}); }

  // What the last input led to, and the syncs since.

  std::vector<std::string> said() const {
    std::vector<std::string> lines;
    for (const auto& sent : outputs_.sends) {
      const std::string to = sent.to == kNoNode ? "to client" : fmt::format("to {}", sent.to.value);
      lines.push_back(fmt::format("{}: {}", to, to_string(sent.message)));
    }
    return lines;
  }
  // Of one kind of message, the only one or nothing.
  template <class Kind>
  std::optional<Kind> sent() const {
    std::optional<Kind> found;
    for (const auto& sent : outputs_.sends) {
      if (const auto* message = std::get_if<Kind>(&sent.message)) {
        if (found) {
          return std::nullopt;
        }
        found = *message;
      }
    }
    return found;
  }
  template <class Fact>
  std::vector<Fact> observed() const {
    std::vector<Fact> facts;
    for (const Observation& observation : outputs_.observations) {
      if (const auto* fact = std::get_if<Fact>(&observation)) {
        facts.push_back(*fact);
      }
    }
    return facts;
  }
  // Whether a timer with this token was set, and for when.
  std::optional<Instant> wakes_at(std::uint32_t token) const {
    for (const auto& timer : outputs_.timers) {
      if (timer.token.value == token) {
        return timer.at;
      }
    }
    return std::nullopt;
  }

 private:
  Driven& start() {
    node_ = fresh_;
    synced_ = disk_.size();
    const std::vector<Record> durable = disk_;
    return input(Started<Record>{durable});
  }
  Driven& input(const ClusterInput& input) {
    outputs_.clear();
    return add(input);
  }
  Driven& add(const ClusterInput& input) {
    node_.handle(input, now_, outputs_);
    disk_.insert(disk_.end(), outputs_.records.begin(), outputs_.records.end());
    return *this;
  }

  Node fresh_;
  Node node_;
  std::vector<Record> disk_;
  std::size_t synced_ = 0;
  Instant now_;
  ClusterOutputs outputs_;
};

}  // namespace shardcheck::impl
