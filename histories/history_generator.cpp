#include "histories/history_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "histories/random_numbers.h"
#include "spec/assert.h"

namespace shardcheck::histories {
namespace {

constexpr std::size_t kChangesKept = 400;

enum class Family : std::uint8_t { plain, log, counter };

// An acknowledged change, for the wrong read.
struct Change {
  TrueTime invoked_at;
  TrueTime returned_at;
  bool can_be_told = true;  // an absent key may be so for many reasons
  ValueId value;            // of a register
  std::uint64_t size;       // of a log or a counter
};

struct KeyState {
  ValueId name;
  Family family = Family::plain;
  ValueId value;
  std::vector<ValueId> items;  // of a log
  std::uint64_t count = 0;     // of a counter
  std::vector<Change> changes;
};

struct Client {
  std::uint32_t process = 0;
  std::uint32_t operation = 0;
  std::uint32_t key = 0;
  OperationKind kind = OperationKind::read;
  ValueId argument;
  ValueId expected;
  TrueTime invoked_at;
  bool crashes = false;
  bool takes_effect = true;
  bool was_refused = false;
  ValueId observed;
  std::uint64_t size_after = 0;
};

enum class Moment : std::uint8_t { invocation, effect, answer };

struct Event {
  std::int64_t at;
  std::uint32_t client;
  Moment moment;
  std::int64_t answer_at;

  friend bool operator>(const Event& left, const Event& right) {
    return std::tuple(left.at, left.client) > std::tuple(right.at, right.client);
  }
};

class Generator {
 public:
  Generator(const GeneratorOptions& options, HistoryBuilder& out)
      : options_(options), out_(out), random_(options.seed), is_wrong_read_due_(options.is_bad) {
    out_.clear();
    clients_.resize(options.clients);
    place_of_key_.resize(options.keys);
  }

  Result<void> go() {
    for (std::uint32_t i = 0; i < options_.clients; ++i) {
      clients_[i].process = i;
      events_.push({random_duration(options_.think_mean.value), i, Moment::invocation, 0});
    }
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      Client& client = clients_[event.client];
      switch (event.moment) {
        case Moment::invocation: invoke(client, event); break;
        case Moment::effect:
          take_effect(client);
          events_.push({event.answer_at, event.client, Moment::answer, 0});
          break;
        case Moment::answer: answer(client, event); break;
      }
      if (items_read_ > options_.items_read_max) {
        return fail("", "the logs grow too long, as every read returns all of one: take more keys or fewer operations");
      }
    }
    return is_wrong_read_due_ ? fail("", "there was no place for a wrong read: take more operations or fewer keys")
                              : Result<void>();
  }

 private:
  static std::uint32_t part_of(std::uint32_t whole, Share share) {
    return static_cast<std::uint32_t>((std::uint64_t{whole} * share.millionths + 500'000) / 1'000'000);
  }

  // Made when it is first asked for: of ten million keys a short history names few.
  KeyState& key_state(std::uint32_t number) {
    std::uint32_t& place = place_of_key_[number];
    if (place == 0) {
      const std::uint32_t logs = part_of(options_.keys, options_.logs);
      const std::uint32_t counters = part_of(options_.keys, options_.counters);
      KeyState& made = keys_.emplace_back();
      made.name = out_.values().string(fmt::format("k{}", number));
      made.family = number < logs ? Family::log : number - logs < counters ? Family::counter : Family::plain;
      place = static_cast<std::uint32_t>(keys_.size());
    }
    return keys_[place - 1];
  }

  bool is_drawn(Share share) { return share.millionths != 0 && random_.below(1'000'000) < share.millionths; }

  // Up to twice the mean, all alike.
  std::int64_t random_duration(std::int64_t mean) {
    const std::uint64_t part = random_.below(std::uint64_t{1} << 20U);
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(mean) * 2 * part) >> 20U);
  }

  // Exponential, in units of 2^20: von Neumann's way (1951), which compares uniform numbers and needs no logarithm.
  std::uint64_t random_exponential() {
    constexpr std::uint64_t kUnit = std::uint64_t{1} << 20U;
    for (std::uint64_t whole = 0;; ++whole) {
      const std::uint64_t first = random_.below(kUnit);
      std::uint64_t last = first;
      bool is_taken = true;
      for (std::uint64_t next = random_.below(kUnit); next < last; next = random_.below(kUnit)) {
        last = next;
        is_taken = !is_taken;
      }
      if (is_taken) {
        return whole * kUnit + first;
      }
    }
  }

  std::int64_t exponential_duration(std::int64_t mean) {
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(mean) * random_exponential()) >> 20U);
  }

  TrueTime stamp(std::int64_t at) {
    last_ = std::max(last_ + 1, at);
    return TrueTime{last_};
  }

  void invoke(Client& client, const Event& event) {
    if (issued_ == options_.operations) {
      return;
    }
    ++issued_;
    client = Client{.process = client.process};
    client.key = static_cast<std::uint32_t>(random_.below(options_.keys));
    const std::int64_t duration = 200'000 + exponential_duration(800'000);
    client.crashes = is_drawn(options_.pending);
    client.takes_effect = !client.crashes || random_.one_in(2);
    const KeyState& key = key_state(client.key);
    draw_operation(client, key);
    client.invoked_at = stamp(event.at);
    client.operation = out_.invoke(client.invoked_at, {.process = out_.values().number(client.process),
                                                       .key = key.name,
                                                       .kind = client.kind,
                                                       .argument = client.argument,
                                                       .expected = client.expected});
    const std::int64_t effect_at = event.at + random_duration(duration / 2);
    events_.push({effect_at, event.client, Moment::effect, event.at + duration});
  }

  void draw_operation(Client& client, const KeyState& key) {
    if (!is_drawn(options_.writes)) {
      return;
    }
    if (key.family == Family::counter) {
      client.kind = OperationKind::increment;
      return;
    }
    const ValueId fresh = out_.values().number(static_cast<std::int64_t>(++written_));
    client.argument = fresh;
    if (key.family == Family::log) {
      client.kind = OperationKind::append;
      client.argument = out_.values().list(std::span(&fresh, 1));
      return;
    }
    client.kind = OperationKind::write;
    const std::uint64_t kind = random_.below(1'000'000);
    if (kind < options_.deletes.millionths) {
      client.kind = OperationKind::remove;
      client.argument = kAbsent;
    } else if (kind - options_.deletes.millionths < options_.compare_and_sets.millionths) {
      client.kind = OperationKind::compare_and_set;
      client.expected = key.value;  // which others may change before the effect
    }
  }

  void take_effect(Client& client) {
    KeyState& key = key_state(client.key);
    if (client.kind == OperationKind::read) {
      read(client, key);
      return;
    }
    client.was_refused = client.kind == OperationKind::compare_and_set && key.value != client.expected;
    if (client.was_refused || !client.takes_effect) {
      return;
    }
    switch (key.family) {
      case Family::plain: key.value = client.argument; break;
      case Family::log:
        key.items.push_back(out_.values().list_of(client.argument)[0]);
        client.size_after = key.items.size();
        break;
      case Family::counter:
        client.size_after = ++key.count;
        client.observed = out_.values().number(static_cast<std::int64_t>(key.count));
        break;
    }
  }

  void read(Client& client, const KeyState& key) {
    switch (key.family) {
      case Family::plain: client.observed = key.value; break;
      case Family::log: client.observed = beginning_of(key, key.items.size()); break;
      case Family::counter:
        client.observed = key.count == 0 ? kAbsent : out_.values().number(static_cast<std::int64_t>(key.count));
        break;
    }
  }

  ValueId beginning_of(const KeyState& key, std::uint64_t size) {
    items_read_ += size;
    return size == 0 ? kAbsent : out_.values().list(std::span(key.items).first(size));
  }

  void answer(Client& client, const Event& event) {
    const TrueTime now = stamp(event.at);
    if (client.crashes) {
      out_.unknown(now, client.operation);
      client.process += options_.clients;
    } else if (client.was_refused) {
      out_.refused(now, client.operation);
    } else {
      answer_truly_or_not(client, now);
    }
    events_.push({event.at + exponential_duration(options_.think_mean.value), event.client, Moment::invocation, 0});
  }

  void answer_truly_or_not(Client& client, TrueTime now) {
    KeyState& key = key_state(client.key);
    ++answered_;
    if (is_wrong_read_due_) {
      if (client.kind != OperationKind::read) {
        keep_change(client, key, now);
      } else if (answered_ * 10 >= options_.operations * 9) {
        tell_what_was_replaced(client, key);
      }
    }
    out_.ok(now, client.operation, client.observed);
  }

  static void keep_change(const Client& client, KeyState& key, TrueTime now) {
    if (key.changes.size() == kChangesKept * 2) {
      key.changes.erase(key.changes.begin(), key.changes.begin() + kChangesKept);
    }
    key.changes.push_back({.invoked_at = client.invoked_at,
                           .returned_at = now,
                           .can_be_told = client.kind != OperationKind::remove,
                           .value = client.argument,
                           .size = client.size_after});
  }

  // The last change that returned before the read began, and the last one that returned before that one began: what the
  // earlier one left was replaced. In a log or a counter, it lacks what the later one added.
  void tell_what_was_replaced(Client& client, const KeyState& key) {
    std::optional<TrueTime> replaced_at;
    for (std::size_t i = key.changes.size(); i-- > 0;) {
      const Change& change = key.changes[i];
      if (!replaced_at) {
        if (change.returned_at < client.invoked_at) {
          replaced_at = change.invoked_at;
        }
      } else if (change.returned_at < *replaced_at && change.can_be_told) {
        switch (key.family) {
          case Family::plain: client.observed = change.value; break;
          case Family::log: client.observed = beginning_of(key, change.size); break;
          case Family::counter: client.observed = out_.values().number(static_cast<std::int64_t>(change.size)); break;
        }
        is_wrong_read_due_ = false;
        return;
      }
    }
  }

  const GeneratorOptions& options_;
  HistoryBuilder& out_;
  RandomNumbers random_;
  std::vector<Client> clients_;
  std::vector<std::uint32_t> place_of_key_;  // in keys_, from 1 on; 0: nobody has asked for the key yet
  std::deque<KeyState> keys_;                // does not move what it has
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  bool is_wrong_read_due_;
  std::uint64_t issued_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t items_read_ = 0;
  std::int64_t last_ = 0;
};

}  // namespace

Result<void> generate_history(const GeneratorOptions& options, HistoryBuilder& out) {
  SHARDCHECK_ASSERT(options.clients != 0);
  SHARDCHECK_ASSERT(options.keys != 0);
  constexpr std::uint64_t kAll = 1'000'000;
  const auto together = [](Share one, Share other) { return std::uint64_t{one.millionths} + other.millionths; };
  if (options.pending.millionths > kAll || options.writes.millionths > kAll) {
    return fail("", "a share is more than 1");
  }
  if (together(options.deletes, options.compare_and_sets) > kAll) {
    return fail(
        "", "the shares of deletes and of compare-and-sets are parts of the same changes, and more than 1 together");
  }
  if (together(options.logs, options.counters) > kAll) {
    return fail("", "the shares of logs and of counters are parts of the same keys, and more than 1 together");
  }
  return Generator(options, out).go();
}

}  // namespace shardcheck::histories
