#include "histories/random_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "histories/search_values.h"
#include "spec/key_model.h"

namespace shardcheck::histories {
namespace {

struct Client {
  bool is_busy = false;
  bool has_taken_effect = false;
  bool was_refused = false;
  std::uint32_t operation = 0;
  HistoryBuilder::Call call;
  ValueId answer;
};

class Run {
 public:
  Run(RandomNumbers& random, const RandomHistoryShape& shape, HistoryBuilder& out)
      : random_(random), shape_(shape), out_(out), clients_(shape.clients) {
    out_.clear();
    // Everything that can arise is interned beforehand, because the algebra wants a table that stands still.
    for (std::uint64_t i = 0; i < shape.operations_max; ++i) {
      pieces_.push_back(shape.uses_strings ? out_.values().string(fmt::format("{}.", i)) : list_of(i));
    }
    if (shape.has_empty_piece) {
      pieces_.front() = shape.uses_strings ? out_.values().string("") : out_.values().list({});
    }
    key_ = out_.values().string("k");
  }

  void go() {
    // Short ones are rarely interesting.
    const std::uint64_t operations =
        shape_.operations_max - random_.below(random_.one_in(4) ? shape_.operations_max : 3);
    while (out_.history().operations.size() < operations) {
      step(true);
    }
    // Some stay outstanding for ever.
    for (std::uint64_t left = random_.below(8 * clients_.size()); left > 0; --left) {
      step(false);
    }
  }

 private:
  ValueId list_of(std::uint64_t item) {
    const ValueId id = out_.values().number(static_cast<std::int64_t>(item));
    return out_.values().list(std::span(&id, 1));
  }

  void step(bool may_invoke) {
    time_ = time_ + Duration{random_.one_in(3) ? 0 : 1};
    Client& client = some_client();
    if (!client.is_busy) {
      if (may_invoke) {
        invoke(client);
      }
    } else if (!client.has_taken_effect) {
      take_effect(client);
    } else {
      finish(client);
    }
  }

  // Mostly one that is busy: where nearly everything overlaps, nearly every answer is right.
  Client& some_client() {
    std::uint64_t index = random_.below(clients_.size());
    for (int i = 0; i < 3 && !clients_[index].is_busy; ++i) {
      index = random_.below(clients_.size());
    }
    return clients_[index];
  }

  ValueId some_value() {
    if (std::ranges::find(shape_.kinds, OperationKind::append) != shape_.kinds.end() && random_.one_in(2)) {
      return pieces_[random_.below(pieces_.size())];
    }
    if (shape_.values == 0) {
      return out_.values().number(static_cast<std::int64_t>(++written_));
    }
    return out_.values().number(static_cast<std::int64_t>(random_.below(shape_.values)));
  }

  void invoke(Client& client) {
    const OperationKind kind = shape_.kinds[random_.below(shape_.kinds.size())];
    client = Client{};
    client.is_busy = true;
    client.call = {.process = out_.values().number(&client - clients_.data()), .key = key_, .kind = kind};
    if (kind == OperationKind::append || (kind == OperationKind::write && shape_.writes_pieces)) {
      client.call.argument = pieces_[shape_.values == 0 ? appended_++ : random_.below(shape_.values)];
    } else if (kind == OperationKind::write || kind == OperationKind::compare_and_set) {
      client.call.argument = some_value();
    }
    if (kind == OperationKind::compare_and_set) {
      client.call.expected = random_.one_in(3) ? some_value() : value_;
    }
    client.operation = out_.invoke(time_, client.call);
  }

  void take_effect(Client& client) {
    client.has_taken_effect = true;
    // A table that has grown makes the ids of values that arose invalid; so results are interned for good.
    algebra_.reset(out_.values());
    const auto result =
        KeyModel<SearchValues>::apply(algebra_, client.call.kind, value_, client.call.argument, client.call.expected);
    client.was_refused = result.outcome == OutcomeKind::refused;
    if (client.was_refused) {
      return;
    }
    value_ = client.call.kind == OperationKind::append ? joined(value_, client.call.argument) : result.after;
    seen_.push_back(value_);
    client.answer = client.call.kind == OperationKind::read ? value_ : result.answer;
  }

  ValueId joined(ValueId left, ValueId right) {
    ValueTable& values = out_.values();
    if (left == kAbsent) {
      return right;
    }
    if (shape_.uses_strings) {
      return values.string(std::string(values.string_of(left)) + std::string(values.string_of(right)));
    }
    std::vector<ValueId> items(values.list_of(left).begin(), values.list_of(left).end());
    items.push_back(values.list_of(right)[0]);
    return values.list(items);
  }

  void finish(Client& client) {
    client.is_busy = false;
    if (random_.one_in(shape_.pending_one_in)) {
      out_.unknown(time_, client.operation);
    } else if (client.was_refused || lies_about_refusal(client)) {
      out_.refused(time_, client.operation,
                   shape_.observes_refusals && client.call.kind == OperationKind::compare_and_set);
    } else {
      out_.ok(time_, client.operation, random_.one_in(shape_.wrong_one_in) ? wrong(client) : client.answer);
    }
  }

  bool lies_about_refusal(const Client& client) {
    return shape_.observes_refusals && client.call.kind == OperationKind::compare_and_set &&
           random_.one_in(shape_.wrong_one_in * 2);
  }

  ValueId wrong(const Client& client) {
    switch (client.call.kind) {
      case OperationKind::read:
        return seen_.empty() || random_.one_in(4) ? kAbsent : seen_[random_.below(seen_.size())];
      case OperationKind::increment:
        return out_.values().number(static_cast<std::int64_t>(random_.below(shape_.operations_max)));
      case OperationKind::write:
      case OperationKind::remove:
      case OperationKind::compare_and_set:
      case OperationKind::append:
      case OperationKind::scan: return kAbsent;
    }
    return kAbsent;
  }

  RandomNumbers& random_;
  const RandomHistoryShape& shape_;
  HistoryBuilder& out_;
  std::vector<Client> clients_;
  std::vector<ValueId> pieces_;
  std::vector<ValueId> seen_;  // values that were there at some time
  SearchValues algebra_;
  ValueId key_;
  ValueId value_;
  TrueTime time_;
  std::uint64_t written_ = 0;
  std::uint64_t appended_ = 0;
};

}  // namespace

std::uint64_t random_histories_wanted(std::uint64_t ordinarily) {
  const char* wanted = std::getenv("SHARDCHECK_RANDOM_HISTORIES");  // environment: length of a test
  return wanted == nullptr ? ordinarily : std::strtoull(wanted, nullptr, 10);
}

void make_random_history(RandomNumbers& random, const RandomHistoryShape& shape, HistoryBuilder& out) {
  Run(random, shape, out).go();
}

}  // namespace shardcheck::histories
