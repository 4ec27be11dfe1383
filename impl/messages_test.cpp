#include "impl/messages.h"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace shardcheck::impl {
namespace {

template <std::size_t... Index>
std::vector<Message> each_alternative(std::index_sequence<Index...>) {
  return {Message(std::in_place_index<Index>)...};
}

// One message of every kind: each alternative, and of those that have kinds of their own, each of these.
std::vector<Message> one_of_every_kind() {
  std::vector<Message> messages;
  for (const Message& message : each_alternative(std::make_index_sequence<std::variant_size_v<Message>>())) {
    const bool has_own_kinds = std::holds_alternative<Command>(message) || std::holds_alternative<MoveOrder>(message) ||
                               std::holds_alternative<MoveReport>(message);
    if (!has_own_kinds) {
      messages.push_back(message);
    }
  }
  for (std::uint8_t kind = 0; kind < kCommandKinds; ++kind) {
    messages.push_back(Command{.kind = static_cast<CommandKind>(kind)});
  }
  for (std::uint8_t kind = 0; kind < 8; ++kind) {
    messages.push_back(MoveOrder{.kind = static_cast<OrderKind>(kind)});
    messages.push_back(MoveReport{.kind = static_cast<OrderKind>(kind)});
  }
  return messages;
}

TEST(Messages, every_kind_is_another_one_and_has_a_name_of_its_own) {
  std::set<std::uint8_t> kinds;
  std::set<std::string_view> names;

  for (const Message& message : one_of_every_kind()) {
    const std::uint8_t kind = kind_of(message);
    SCOPED_TRACE(static_cast<int>(kind));
    EXPECT_LT(kind, kMessageKinds);
    EXPECT_FALSE(name_of_kind(kind).empty());
    EXPECT_TRUE(kinds.insert(kind).second);
    EXPECT_TRUE(names.insert(name_of_kind(kind)).second);
  }

  EXPECT_EQ(kinds.size(), 72U);
}

TEST(Messages, what_is_no_kind_has_no_name) {
  EXPECT_EQ(name_of_kind(kMessageKinds), "");
  EXPECT_EQ(name_of_kind(255), "");
}

TEST(Messages, kinds_are_named_after_what_they_ask) {
  EXPECT_EQ(name_of_kind(kind_of(Command{.kind = CommandKind::commit_move})), "commit_move");
  EXPECT_EQ(name_of_kind(kind_of(Command{.kind = CommandKind::renew_lease})), "renew_lease");
  EXPECT_EQ(name_of_kind(kind_of(MoveOrder{.kind = OrderKind::fence})), "order_fence");
  EXPECT_EQ(name_of_kind(kind_of(MoveOrder{.kind = OrderKind::undo})), "order_undo");
  EXPECT_EQ(name_of_kind(kind_of(MoveReport{.kind = OrderKind::confirm_serving})), "report_serving");
  EXPECT_EQ(name_of_kind(kind_of(MoveReport{.kind = OrderKind::undo})), "report_undone");
  EXPECT_EQ(name_of_kind(kind_of(Chunk{})), "chunk");
  EXPECT_EQ(name_of_kind(kind_of(RecordUpdate{})), "record_update");
}

TEST(Messages, the_line_of_a_trace_begins_with_the_name_of_the_kind) {
  for (const Message& message : one_of_every_kind()) {
    EXPECT_THAT(to_string(message), testing::StartsWith(std::string(name_of_kind(kind_of(message))) + " "));
  }
}

TEST(Messages, the_line_of_a_trace_tells_what_matters) {
  const Request request{{{ClientId{2}, 5}, 1}, Epoch{7}, {OperationKind::compare_and_set, Key{3}, number(4), absent()}};
  const Renewed renewed{ShardId{1}, Epoch{7}, Instant{62'500'000}};
  Chunk chunk;
  chunk.count = 3;
  chunk.next = CopyCursor{8};
  chunk.is_last = true;

  EXPECT_EQ(to_string(request), "request request 2.5 attempt 1 epoch 7: cas key 3 nil -> 4");
  EXPECT_EQ(to_string(renewed), "renewed range 1 epoch 7 until 62.500 ms");
  EXPECT_EQ(to_string(chunk), "chunk move 0 3 entries, next 8, last");
}

TEST(Messages, a_link_carries_more_for_every_entry) {
  Chunk chunk;
  chunk.count = 2;
  LogBatch batch;
  batch.count = 4;

  EXPECT_EQ(bytes_of(Poll{}), 64);
  EXPECT_EQ(bytes_of(chunk), 176);
  EXPECT_EQ(bytes_of(batch), 288);
}

TEST(Messages, digests_tell_kinds_and_contents_apart) {
  const Request request{{{ClientId{2}, 5}, 1}, Epoch{7}, {}};
  Request next_attempt = request;
  next_attempt.attempt.number = 2;
  Request next_epoch = request;
  next_epoch.epoch = Epoch{8};

  EXPECT_NE(digest_of(request), digest_of(next_attempt));
  EXPECT_NE(digest_of(request), digest_of(next_epoch));
  EXPECT_NE(digest_of(Poll{}), digest_of(UpToDate{}));
}

}  // namespace
}  // namespace shardcheck::impl
