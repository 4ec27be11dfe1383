// The mover: drives every move that the directory has accepted through its phases. It remembers nothing across a crash;
// the phases are in the directory and the progress of a copy is with the target, so a new mover takes a move over where
// it stands, under an epoch of its own that makes older movers powerless. A mover takes over what another one drove
// when it has heard nothing from that one for `mover_silence`; who drives a move tells the others that it does.
//
// A copy has a budget: `catch_up_rounds_max` rounds of replay while the source takes writes, as many again once the
// source is throttled, and `copies_max` beginnings when the log behind the copy is trimmed. A move whose budget is
// spent is given up, and why is told. Where splitting comes first, the owner is then asked to split the range in the
// middle, and its halves are moved one after the other, each with the same budget; a wish splits ranges at most
// `splits_first_max` times in a row.
//
// It decides by one rule: look at the record and at what the sides have reported, and ask for the next thing that is
// missing. Anything may be asked twice. Before the switch, a side that cannot go on or does not answer aborts the move;
// after it there is no way but forward.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "impl/counted_timers.h"
#include "impl/decisions.h"
#include "impl/directory_link.h"
#include "impl/options.h"
#include "impl/records.h"
#include "spec/process.h"

namespace shardcheck::impl {

class Mover {
 public:
  Mover(const ClusterOptions& options, NodeId self);

  void handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs);
  // It was asked for a move, and the directory has not answered yet; or a range is to be split before it is moved.
  bool has_wish() const {
    return std::ranges::any_of(moves_,
                               [](const Known& known) { return known.wish || known.split_first || known.second_half; });
  }

 private:
  // What the sides have reported of one move to this mover.
  struct Progress {
    MoveId move;
    MoverEpoch mine;           // the mover epoch that this mover holds for it; 0: none yet
    MoverEpoch asked;          // the one that it asked for last
    std::uint8_t attempt = 0;  // the copy that the target must have, or a later one
    bool is_target_ready = false;
    CopyCursor cursor;
    bool is_copied = false;
    std::optional<LogPosition> snapshot;
    LogPosition replayed_to;
    std::uint64_t lag = UINT64_MAX;
    std::optional<LogPosition> barrier;
    ContentDigest source_digest;
    ContentDigest target_digest;
    bool is_serving = false;
    bool is_clean = false;
    bool is_source_undone = false;
    bool is_target_undone = false;
    std::uint8_t rounds = 0;  // of replay while the source takes writes
    std::uint8_t tries = 0;   // of what is asked for now
    bool is_throttled = false;
    bool is_pausing = false;  // the longer pause is accepted
    std::optional<GiveUpReason> given_up;
    bool is_told = false;  // why it is given up
    bool is_fence_told = false;
    Instant deadline;
  };
  // What was outrun is moved in halves once it is split, which its owner is asked for when the abort is over.
  struct SplitFirst {
    StartMove wanted;
    KeyRange whole;
    Key middle;
    std::uint8_t splits = 0;  // in a row, this one included
    std::uint8_t tries = 0;
  };
  // The right half waits until the left one is over with.
  struct SecondHalf {
    StartMove wanted;
    ShardId after;
    std::uint8_t splits = 0;
  };
  struct Known {
    ShardRecord record;
    DirectoryPosition changed_at;
    Instant learnt_at;
    Progress progress;
    CountedTimers timers;           // for its deadline
    std::optional<StartMove> wish;  // a move that was asked for, until the directory has answered
    std::uint8_t splits = 0;        // that led to the wish which the move stands for
    std::optional<SplitFirst> split_first;
    std::optional<SecondHalf> second_half;
    std::uint8_t merge_tries = 0;  // how often a move may still be begun so that the range can be merged; 0: no wish
  };

  void start(Instant now, ClusterOutputs& outputs);
  void receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs);
  void on_turned_away(Instant now, ClusterOutputs& outputs);
  void begin(const StartMove& start, ClusterOutputs& outputs, std::uint8_t splits = 0);
  void ask_to_begin(const Known& known, ClusterOutputs& outputs);
  void learn(const ShardRecord& record, DirectoryPosition changed_at, Instant now);
  void on_update(const ShardRecord& record, DirectoryPosition changed_at, Instant now, ClusterOutputs& outputs);
  void begin_reshape(const StartReshape& start, ClusterOutputs& outputs);
  void split(const Known& known, Key at, ClusterOutputs& outputs);
  void merge(Known& left, ClusterOutputs& outputs);
  void resume_merges(ClusterOutputs& outputs);
  bool may_split_first(const Known& known) const;
  static void want_split_first(Known& known);
  void resume_splits_first(bool is_again, ClusterOutputs& outputs);
  void resume_split_first(Known& known, bool is_again, ClusterOutputs& outputs);
  void resume_second_half(Known& known, ClusterOutputs& outputs);
  Known* right_of(const Known& left);
  void on_result(const CommandResult& result, Instant now, ClusterOutputs& outputs);
  void on_report(const MoveReport& report, Instant now, ClusterOutputs& outputs);
  static void give_up(Known& known, GiveUpReason reason);
  void take_in(const MoveReport& report, Known& known, ClusterOutputs& outputs);
  void take_in_replay(const MoveReport& report, Known& known, ClusterOutputs& outputs);
  void begin_copy_anew(Known& known);
  void hear_from(NodeId mover, Instant now);
  Instant silent_since(const Known& known) const;
  void tell_alive(Instant now, ClusterOutputs& outputs);
  bool holds(Known& known, Instant now, ClusterOutputs& outputs);
  void drive(Known& known, Instant now, ClusterOutputs& outputs);
  void drive_copy(Known& known, ClusterOutputs& outputs);
  void drive_abort(Known& known, ClusterOutputs& outputs);
  void drive_catch_up(Known& known, ClusterOutputs& outputs);
  void decide_catch_up(Known& known, ClusterOutputs& outputs);
  void ask_for_fence(Known& known, ClusterOutputs& outputs);
  void drive_switch(Known& known, ClusterOutputs& outputs);
  void drive_undo(Known& known, ClusterOutputs& outputs);
  void command(CommandKind kind, const Known& known, ClusterOutputs& outputs, MovePhase phase = MovePhase::none);
  void order(OrderKind kind, NodeId side, Known& known, ClusterOutputs& outputs);

  ClusterOptions options_;
  Decisions decisions_;
  NodeId self_;
  std::vector<Known> moves_;         // by ShardId
  std::vector<Instant> heard_from_;  // by index of the mover
  Instant told_alive_;
  DirectoryLink link_;
};

}  // namespace shardcheck::impl
