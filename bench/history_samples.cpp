#include "bench/history_samples.h"

#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "histories/flat_map.h"

namespace shardcheck::bench {
namespace {

using histories::HistoryBuilder;
using histories::ValueId;

class Loop {
 public:
  explicit Loop(const HistorySample& sample)
      : sample_(sample), clients_(sample.clients), states_(sample.keys), overwritten_(sample.keys) {}

  histories::History run() {
    for (std::uint64_t client = 0; client < sample_.clients; ++client) {
      schedule(below(100), Phase::invoke, client);
    }
    while (!events_.empty()) {
      const auto [at, order, phase, client] = events_.top();
      events_.pop();
      now_ = at;
      switch (phase) {
        case Phase::invoke: invoke(client); break;
        case Phase::effect: take_effect(clients_[client]); break;
        case Phase::finish: finish(client); break;
      }
    }
    return out_.history();
  }

 private:
  enum class Phase : std::uint8_t { invoke, effect, finish };
  struct Client {
    std::uint32_t operation = 0;
    std::uint64_t key = 0;
    bool is_write = false;
    std::int64_t invoked = 0;
    ValueId value;
  };
  // The last two writes of a key that returned one after the other.
  struct Overwritten {
    ValueId last;
    std::int64_t last_returned = -1;
    ValueId before;
  };
  using Event = std::tuple<std::int64_t, std::uint64_t, Phase, std::uint64_t>;

  std::uint64_t below(std::uint64_t bound) {
    draws_ += 0x9e3779b97f4a7c15U;
    return (histories::mixed(draws_) >> 32U) * bound >> 32U;
  }

  void schedule(std::uint64_t after, Phase phase, std::uint64_t client) {
    events_.emplace(now_ + static_cast<std::int64_t>(after), scheduled_++, phase, client);
  }

  // Every call of the builder at a time of its own, so that the order of calls is the order of time.
  TrueTime tick() { return TrueTime{++ticks_}; }

  void invoke(std::uint64_t index) {
    if (invoked_ == sample_.operations) {
      return;
    }
    ++invoked_;
    Client& client = clients_[index];
    client.key = below(sample_.keys);
    client.is_write = below(2) == 0;
    client.value = ValueId{};
    if (client.is_write) {
      ++written_;
      const std::uint64_t value = sample_.values == 0 ? written_ : below(sample_.values);
      client.value = out_.values().number(static_cast<std::int64_t>(value));
    }
    client.operation = out_.invoke(tick(), {.process = out_.values().number(static_cast<std::int64_t>(index)),
                                            .key = out_.values().number(static_cast<std::int64_t>(client.key)),
                                            .kind = client.is_write ? OperationKind::write : OperationKind::read,
                                            .argument = client.value});
    client.invoked = ticks_;
    const std::uint64_t duration = 20 + below(120) + (below(10) == 0 ? below(1'000) : 0);
    schedule(below(duration), Phase::effect, index);
    schedule(duration, Phase::finish, index);
    // Whether the operation is to get lost, and then whether it takes effect all the same.
    const bool is_lost = below(1000) < sample_.pending_in_1000;
    lost_.resize(sample_.clients);
    lost_[index] = is_lost;
    is_idle_.resize(sample_.clients);
    is_idle_[index] = is_lost && below(2) == 0;
  }

  void take_effect(Client& client) {
    const auto index = static_cast<std::size_t>(&client - clients_.data());
    if (!client.is_write) {
      client.value = states_[client.key];
    } else if (!is_idle_[index]) {
      states_[client.key] = client.value;
    }
  }

  void finish(std::uint64_t index) {
    Client& client = clients_[index];
    Overwritten& written = overwritten_[client.key];
    if (lost_[index]) {
      out_.unknown(tick(), client.operation);
    } else if (client.is_write) {
      out_.ok(tick(), client.operation);
      if (client.invoked > written.last_returned) {
        written = {.last = client.value, .last_returned = ticks_, .before = written.last};
      }
    } else {
      const bool is_due = sample_.has_stale_read && !is_stale_ && invoked_ * 10 >= sample_.operations * 9;
      is_stale_ |= is_due && client.invoked > written.last_returned && written.before != histories::kAbsent;
      const bool lies = is_stale_ && is_due;
      out_.ok(tick(), client.operation, lies ? written.before : client.value);
    }
    schedule(1 + below(20), Phase::invoke, index);
  }

  const HistorySample& sample_;
  HistoryBuilder out_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Client> clients_;
  std::vector<ValueId> states_;  // of each key
  std::vector<Overwritten> overwritten_;
  std::vector<bool> lost_;
  std::vector<bool> is_idle_;
  std::int64_t now_ = 0;
  std::int64_t ticks_ = 0;
  std::uint64_t scheduled_ = 0;
  std::uint64_t draws_ = 1;
  std::uint64_t invoked_ = 0;
  std::uint64_t written_ = 0;
  bool is_stale_ = false;
};

}  // namespace

histories::History make_history(const HistorySample& sample) { return Loop(sample).run(); }

}  // namespace shardcheck::bench
