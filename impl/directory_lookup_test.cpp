#include "impl/directory_lookup.h"

#include <gmock/gmock.h>

#include "impl/driven_directory.h"

namespace shardcheck::impl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr NodeId kNode{1};

// One member, and two ranges: [0, 4) and [4, 8).
ClusterOptions options() {
  ClusterOptions options;
  options.directories = 1;
  options.storage_nodes = 2;
  options.routers = 1;
  options.shards = 2;
  options.keys = 8;
  return options;
}

Command split_at(std::uint32_t key) {
  Command command;
  command.kind = CommandKind::split_metadata;
  command.at = Key{key};
  return command;
}

// Looks up at a directory of one member; every question is answered at once, unless it is lost.
class Lookups {
 public:
  Lookups() : directory_(DirectoryNode(options(), NodeId{0})), link_(options(), at_ms(0)) { directory_.sync().sync(); }

  void split(std::uint32_t key) { directory_.receive(kNode, split_at(key)).sync(); }
  // What was said until nobody had anything to say.
  std::vector<std::string> look_up(std::uint32_t key) {
    ask(key);
    std::vector<std::string> lines;
    while (!outputs_.sends.empty()) {
      const std::vector<Message> questions = take_questions();
      for (const Message& question : questions) {
        lines.push_back(to_string(question));
        answer(question, lines);
      }
    }
    return lines;
  }
  // Only asks.
  void ask(std::uint32_t key) { lookup_.ask(Key{key}, {}, link_, outputs_); }
  std::vector<Message> take_questions() {
    std::vector<Message> questions;
    for (const auto& send : outputs_.sends) {
      questions.push_back(send.message);
    }
    outputs_.sends.clear();
    return questions;
  }
  void answer(const Message& question, std::vector<std::string>& lines) {
    directory_.receive(kNode, question);
    if (const auto top = directory_.sent<TopTable>()) {
      lookup_.take_in(*top, link_, outputs_);
    } else if (const auto result = directory_.sent<LookupResult>()) {
      lines.push_back(to_string(*result));
      lookup_.take_in(*result, link_, outputs_);
    }
  }
  template <class Fact>
  std::vector<Fact> observed() const {
    std::vector<Fact> found;
    for (const Observation& it : outputs_.observations) {
      if (const auto* fact = std::get_if<Fact>(&it)) {
        found.push_back(*fact);
      }
    }
    return found;
  }

 private:
  Driven<DirectoryNode> directory_;
  DirectoryLink link_;
  DirectoryLookup lookup_;
  ClusterOutputs outputs_;
};

TEST(DirectoryLookup, reads_the_top_table_once) {
  Lookups lookups;

  EXPECT_THAT(lookups.look_up(5),
              ElementsAre("read_top at 0 or later", "lookup key 5 in metadata shard 0, by the table of 2",
                          "lookup_result key 5: range 1 owner 2 epoch 2 phase none at 2"));
  EXPECT_THAT(lookups.look_up(1), ElementsAre("lookup key 1 in metadata shard 0, by the table of 2",
                                              "lookup_result key 1: range 0 owner 1 epoch 1 phase none at 1"));
}

TEST(DirectoryLookup, that_crosses_a_split_reads_a_newer_table) {
  Lookups lookups;
  lookups.look_up(5);

  lookups.split(4);

  EXPECT_THAT(lookups.look_up(5), ElementsAre("lookup key 5 in metadata shard 0, by the table of 2",
                                              "lookup_result key 5: the table of 2 is old", "read_top at 4 or later",
                                              "lookup key 5 in metadata shard 1, by the table of 4",
                                              "lookup_result key 5: range 1 owner 2 epoch 2 phase none at 2"));
  ASSERT_THAT(lookups.observed<LookupCrossed>(), SizeIs(1));
  EXPECT_EQ(lookups.observed<LookupCrossed>()[0].crossings, 1);
}

TEST(DirectoryLookup, on_the_side_that_kept_its_metadata_shard_needs_no_other_table) {
  Lookups lookups;
  lookups.look_up(5);

  lookups.split(4);

  EXPECT_THAT(lookups.look_up(1), SizeIs(2));
}

TEST(DirectoryLookup, asked_again_does_not_rely_on_a_table_that_is_known_to_be_old) {
  Lookups lookups;
  std::vector<std::string> lines;
  lookups.look_up(5);
  lookups.split(4);
  lookups.ask(5);
  lookups.answer(lookups.take_questions()[0], lines);
  lookups.take_questions();  // for the newer table: lost

  lookups.look_up(5);

  ASSERT_THAT(lookups.observed<LookupCrossed>(), SizeIs(1));
  EXPECT_THAT(lookups.observed<LookupAnswered>(), SizeIs(2));
}

TEST(DirectoryLookup, a_repeated_answer_is_one_crossing) {
  Lookups lookups;
  std::vector<std::string> lines;
  lookups.look_up(5);
  lookups.split(4);
  lookups.ask(5);
  const Message question = lookups.take_questions()[0];

  lookups.answer(question, lines);
  lookups.answer(question, lines);

  EXPECT_THAT(lookups.observed<LookupCrossed>(), SizeIs(1));
  EXPECT_THAT(lookups.take_questions(), SizeIs(1));
}

TEST(DirectoryLookup, lookups_of_several_keys_share_one_table) {
  Lookups lookups;
  lookups.ask(5);
  lookups.ask(1);
  std::vector<std::string> lines;
  const std::vector<Message> questions = lookups.take_questions();
  ASSERT_THAT(questions, SizeIs(2));

  lookups.answer(questions[0], lines);
  EXPECT_THAT(lookups.take_questions(), SizeIs(2));
  lookups.answer(questions[1], lines);
  EXPECT_THAT(lookups.take_questions(), IsEmpty());
}

TEST(DirectoryLookup, an_older_table_never_replaces_a_newer_one) {
  DirectoryLink link(options(), at_ms(0));
  DirectoryLookup lookup;
  ClusterOutputs outputs;
  lookup.take_in(TopTable{.version = DirectoryPosition{4}, .count = 1, .rows = {}}, link, outputs);

  lookup.take_in(TopTable{.version = DirectoryPosition{2}, .count = 1, .rows = {}}, link, outputs);
  lookup.ask(Key{5}, {}, link, outputs);

  EXPECT_EQ(std::get<Lookup>(outputs.sends[0].message).relied_on, DirectoryPosition{4});
}

TEST(MetadataShards, are_split_only_where_a_range_begins) {
  DirectoryState state(initial_records(options()), Decisions());

  EXPECT_FALSE(state.apply(split_at(3), DirectoryPosition{3}).is_accepted);
  EXPECT_FALSE(state.apply(split_at(0), DirectoryPosition{4}).is_accepted);
  EXPECT_FALSE(state.apply(split_at(8), DirectoryPosition{5}).is_accepted);
  EXPECT_TRUE(state.apply(split_at(4), DirectoryPosition{6}).is_accepted);
  EXPECT_FALSE(state.apply(split_at(4), DirectoryPosition{7}).is_accepted);

  EXPECT_EQ(state.top_version(), DirectoryPosition{6});
  EXPECT_EQ(state.metadata_of(Key{3}).id, MetadataShardId{0});
  EXPECT_EQ(state.metadata_of(Key{4}).id, MetadataShardId{1});
}

TEST(MetadataShards, are_carried_by_a_snapshot) {
  DirectoryState state(initial_records(options()), Decisions());
  state.apply(split_at(4), DirectoryPosition{6});

  DirectoryState other(initial_records(options()), Decisions());
  other.restore(state.parts());

  EXPECT_EQ(other.top_version(), DirectoryPosition{6});
  ASSERT_THAT(other.metadata(), SizeIs(2));
  EXPECT_EQ(other.metadata()[1].keys, (KeyRange{Key{4}, Key{8}}));
  EXPECT_EQ(other.metadata_of(Key{7}).id, MetadataShardId{1});
}

TEST(MetadataShards, keep_ranges_apart_that_would_be_merged) {
  ClusterOptions of_one_owner = options();
  of_one_owner.storage_nodes = 1;
  DirectoryState state(initial_records(of_one_owner), Decisions());
  state.apply(split_at(4), DirectoryPosition{6});
  Command merge;
  merge.kind = CommandKind::merge_ranges;
  merge.asked_by = NodeId{1};
  merge.planned_on = Epoch{1};
  merge.planned_at = DirectoryPosition{1};
  merge.other = ShardId{1};
  merge.other_planned_at = DirectoryPosition{2};

  EXPECT_FALSE(state.apply(merge, DirectoryPosition{7}).is_accepted);
  DirectoryState unsplit(initial_records(of_one_owner), Decisions());
  EXPECT_TRUE(unsplit.apply(merge, DirectoryPosition{7}).is_accepted);
}

TEST(MetadataShards, share_one_order_of_grants_and_a_mutant_does_not) {
  EXPECT_EQ(Decisions().epoch_of_grant(DirectoryPosition{9}, 3), Epoch{9});
  EXPECT_EQ(Decisions(Mutant::metadata_shards_own_clocks).epoch_of_grant(DirectoryPosition{9}, 3), Epoch{3});
}

}  // namespace
}  // namespace shardcheck::impl
