#include "histories/written_logs.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

namespace shardcheck::histories {
namespace {

// The history of one key in strings; "-" is the absence.
class Written {
 public:
  Written& write(std::string_view text, Position invoked, Position returned) {
    return add(OperationKind::write, text, invoked, returned);
  }
  Written& append(std::string_view text, Position invoked, Position returned) {
    return add(OperationKind::append, text, invoked, returned);
  }
  Written& read(std::string_view text, Position invoked, Position returned) {
    return add(OperationKind::read, text, invoked, returned);
  }
  Written& remove(Position invoked, Position returned) {
    operations_.push_back({.kind = OperationKind::remove, .invoked = invoked, .returned = returned});
    return *this;
  }
  std::optional<Verdict> verdict() const {
    const MaybeDecision decision =
        WrittenLogs().decide({.key = kAbsent, .values = &values_, .operations = operations_});
    return decision ? std::optional(decision->verdict) : std::nullopt;
  }

 private:
  Written& add(OperationKind kind, std::string_view text, Position invoked, Position returned) {
    KeyOperation made{.kind = kind, .invoked = invoked, .returned = returned};
    (kind == OperationKind::read ? made.observed : made.argument) = text == "-" ? kAbsent : values_.string(text);
    operations_.push_back(made);
    return *this;
  }

  ValueTable values_;
  std::vector<KeyOperation> operations_;
};

TEST(WrittenLogs, accept_what_is_written_and_appended_one_after_the_other) {
  EXPECT_EQ(Written()
                .read("-", 0, 1)
                .append("a.", 2, 3)
                .read("a.", 4, 5)
                .write("b.", 6, 7)
                .append("c.", 8, 9)
                .read("b.c.", 10, 11)
                .verdict(),
            Verdict::linearizable);
}

TEST(WrittenLogs, reject_what_a_write_had_done_away_with) {
  EXPECT_EQ(Written().append("a.", 0, 1).write("b.", 2, 3).read("a.", 4, 5).verdict(), Verdict::not_linearizable);
  EXPECT_EQ(Written().append("a.", 0, 1).write("b.", 2, 3).read("a.b.", 4, 5).verdict(), Verdict::not_linearizable);
  EXPECT_EQ(Written().append("a.", 0, 1).write("b.", 2, 4).read("a.", 3, 5).verdict(), Verdict::linearizable);
}

TEST(WrittenLogs, reject_two_appends_at_one_place) {
  Written overlapping;
  overlapping.write("w.", 0, 1).append("a.", 2, 20).append("b.", 3, 21);

  EXPECT_EQ(Written(overlapping).read("w.a.", 4, 5).read("w.b.", 6, 7).verdict(), Verdict::not_linearizable);
  EXPECT_EQ(Written(overlapping).read("w.a.", 4, 5).read("w.a.b.", 6, 7).verdict(), Verdict::linearizable);
  EXPECT_EQ(Written(overlapping).read("w.a.b.", 4, 5).read("w.a.", 6, 7).verdict(), Verdict::not_linearizable);
}

TEST(WrittenLogs, reject_an_append_that_is_there_twice_and_one_that_is_not_there) {
  EXPECT_EQ(Written().write("w.", 0, 1).append("a.", 2, 3).read("w.a.a.", 4, 5).verdict(), Verdict::not_linearizable);
  EXPECT_EQ(Written().write("w.", 0, 1).append("a.", 2, 3).read("w.", 4, 5).verdict(), Verdict::not_linearizable);
  EXPECT_EQ(Written().write("w.", 0, 1).append("a.", 2, 3).read("w.x.", 4, 5).verdict(), Verdict::not_linearizable);
}

TEST(WrittenLogs, reject_an_append_to_nothing_after_something_was_there) {
  EXPECT_EQ(Written().write("w.", 0, 1).append("a.", 2, 3).read("a.", 4, 5).verdict(), Verdict::not_linearizable);
  EXPECT_EQ(Written().write("w.", 0, 2).append("a.", 1, 3).read("a.", 4, 5).verdict(), Verdict::not_linearizable);
  EXPECT_EQ(Written().write("w.", 0, 9).append("a.", 1, 3).read("a.", 4, 5).verdict(), Verdict::linearizable);
}

// It fits behind any stretch, but not into one, nor before what was seen with nothing before it.
TEST(WrittenLogs, put_an_append_that_nobody_saw_behind_a_stretch) {
  EXPECT_EQ(Written().write("w.", 0, 1).append("a.", 2, 8).read("w.", 3, 4).read("w.", 5, 6).verdict(),
            Verdict::linearizable);
  EXPECT_EQ(Written().write("w.", 0, 1).append("a.", 2, 3).write("v.", 4, 5).read("v.", 6, 7).verdict(),
            Verdict::linearizable);
  EXPECT_EQ(Written().append("b.", 0, 1).append("a.", 2, 3).read("a.", 4, 5).verdict(), Verdict::not_linearizable);
}

TEST(WrittenLogs, take_what_never_returned_as_happened_where_it_was_seen) {
  EXPECT_EQ(Written().write("w.", 0, kNever).append("a.", 1, kNever).read("w.a.", 2, 3).verdict(),
            Verdict::linearizable);
  EXPECT_EQ(Written().write("w.", 0, kNever).append("a.", 1, kNever).read("-", 2, 3).verdict(), Verdict::linearizable);
  EXPECT_EQ(Written().write("w.", 0, kNever).read("w.", 1, 2).read("-", 3, 4).verdict(), Verdict::not_linearizable);
}

TEST(WrittenLogs, leave_alone_what_they_cannot_tell_apart) {
  EXPECT_EQ(Written().write("a.", 0, 1).append("a.", 2, 3).read("a.a.", 4, 5).verdict(), std::nullopt);
  EXPECT_EQ(Written().write("a", 0, 1).append("ab", 2, 3).read("aab", 4, 5).verdict(), std::nullopt);
  EXPECT_EQ(Written().write("a.", 0, 1).remove(2, 3).append("b.", 4, 5).verdict(), std::nullopt);
}

}  // namespace
}  // namespace shardcheck::histories
