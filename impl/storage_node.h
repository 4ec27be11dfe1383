// A storage node: serves the ranges it holds a lease for, keeps to the fence of epochs, and plays either side of a
// move. What it must remember is in StorageState; all else here is lost in a crash and may be.
//
// An operation is admitted, made durable here and with every other member of the replica set, and only then answered;
// whether the node may still answer is asked again at that moment, since a pause may lie between.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "impl/after_sync.h"
#include "impl/directory_link.h"
#include "impl/followers.h"
#include "impl/options.h"
#include "impl/records.h"
#include "impl/storage_state.h"
#include "spec/key_set.h"
#include "spec/process.h"

namespace shardcheck::impl {

// Timers of one range have these tokens and the ShardId; that of a fence has the ShardId alone.
inline constexpr std::uint32_t kForwardedTimers = 0x4000;
inline constexpr std::uint32_t kDualWriteTimers = 0x8000;

// From now until `until` (on the node's clock) the node would perform effects under `epoch`.
struct ServingClaim {
  ShardId shard;
  KeyRange range;
  Epoch epoch;
  Instant until;

  friend bool operator==(const ServingClaim&, const ServingClaim&) = default;
};

class StorageNode {
 public:
  StorageNode(const ClusterOptions& options, NodeId self);

  void handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs);

  // For judging only.
  std::optional<ServingClaim> claim(ShardId shard) const;
  const StorageState& state() const { return state_; }
  // It is told to leave, and keeps nothing any more.
  bool is_drained() const;

 private:
  static constexpr TimerToken kReplicateAgain{0xfffeU};

  // A write that waits because its range is throttled.
  struct HeldBack {
    NodeId router;
    Request request;
    Instant since;
    MoveId move;
  };
  // What being throttled for a move has cost writes.
  struct Throttled {
    MoveId move;
    std::uint32_t writes = 0;
    Duration added;
  };
  // What the directory made of a split or merge that this node has noted, as far as it is known by now.
  struct Entered {
    Sibling left;
    Sibling right;
    DirectoryPosition left_at;
    DirectoryPosition right_at;
  };
  // A request that a source handed on, at the target.
  struct Forwarded {
    NodeId router;
    Request request;
  };
  // Things done once their records are durable.
  struct Effect {
    NodeId router;
    Request request;
    ShardId shard;
    Epoch epoch;  // held when it was admitted
    Outcome outcome;
    LogPosition rests_on;       // every counted follower must have the log up to here
    Key answered_to = {};       // of a scan
    LogPosition position = {};  // that must be where it has to be before a write is acknowledged; 0: of a read
  };
  struct Send {
    NodeId to;
    Message message;
  };
  struct Written {
    Applied applied;
    LogPosition tail;
    ContentDigest digest;
    bool has_cell;  // false: only an answer was remembered
  };
  struct TookUp {
    ShardId shard;
    Epoch epoch;
    Instant lease_until;
  };
  struct Fenced {
    ShardId shard;
    MoveId move;
    NodeId mover;
    LogPosition barrier;
    ContentDigest digest;
  };
  // At the source of a move by dual writes: how far they are, and what waits for the target to have them.
  struct DualWriting {
    LogPosition durable_to;  // here
    LogPosition sent_to;
    LogPosition staged_to;  // at the target, as it said
    Instant waits_since;    // for the target to say more
    bool is_timer_set = false;
    std::vector<Effect> held;
    std::optional<Fenced> fenced;
  };
  struct Unfenced {
    ShardId shard;
    MoveId move;
  };
  // The note is durable: the directory may be asked. The entry is known, and everything before it done: it is applied.
  struct Propose {
    ShardId shard;
  };
  struct Reshape {
    ShardId shard;
  };
  // What the directory said of the followers is durable.
  struct Due {
    ShardId shard;
  };
  using Pending = std::variant<Effect, Send, Written, Observation, TookUp, Fenced, Unfenced, Propose, Reshape, Due>;
  // What waits for the followers, in the order of what it rests on.
  struct Waiting {
    LogPosition rests_on;
    std::variant<Effect, Fenced> what;
  };
  // What the node knows of one range only as long as it runs.
  struct Volatile {
    Instant lease_until;
    Epoch believed;                     // only a mutant believes an epoch that a request carries
    bool is_draining = false;           // admits nothing more
    bool is_barrier_confirmed = false;  // and performs no effect any more
    Instant learnt_switch_at;
    MoveId throttled_for;  // 0: for none
    Instant next_write_at;
    std::vector<HeldBack> held_back;
    Throttled throttled;
    std::uint64_t last_write = 0;  // the number of records that make every admitted write durable
    std::uint64_t last_epoch = 0;  // the same for what the directory told
    LogPosition durable_tail;
    ContentDigest durable_digest;
    std::uint64_t last_note = 0;  // the number of records that make the note durable
    Entered entered;
    bool is_reshaping = false;  // the copy becomes another as soon as everything admitted is done
    DualWriting dual_writing;
    std::vector<Forwarded> forwarded;  // for the move whose copy is staged here; waits for the grant
    Followers followers;               // of an owner
    std::vector<Waiting> waiting;
  };

  // storage_node.cpp: life, what the directory tells
  void start(std::span<const Record> durable, Instant now, ClusterOutputs& outputs);
  void receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs);
  void tick(Instant now, ClusterOutputs& outputs);
  void learn(const ShardRecord& record, DirectoryPosition changed_at, Instant now, ClusterOutputs& outputs);
  void take_up(ShardId shard, Instant now, ClusterOutputs& outputs);
  void learn_pair(const ShardRecord& record, DirectoryPosition changed_at, const Sibling& sibling, Instant now,
                  ClusterOutputs& outputs);
  void end_staging_if_over(ShardId shard, Instant now, ClusterOutputs& outputs);
  void append(const Record& record, ClusterOutputs& outputs);
  void append_durably(const Record& record, ClusterOutputs& outputs);
  void after(std::uint64_t needed_records, Pending pending, Instant now, ClusterOutputs& outputs);
  void release(Instant now, ClusterOutputs& outputs);
  void carry_out(Pending& pending, Instant now, ClusterOutputs& outputs);

  // storage_lease.cpp
  Duration renewal_interval() const { return options_.lease_duration / 3; }
  static bool holds_known_grant(const ShardCopy& copy);
  bool renews_as_a_whole() const;
  void ask_for_leases(Instant now, ClusterOutputs& outputs);
  void renew_if_short(ShardId shard, Instant now, ClusterOutputs& outputs);
  void on_renewed(const Renewed& renewed, Instant now, ClusterOutputs& outputs);
  void on_all_renewed(NodeRenewed renewed, Instant now, ClusterOutputs& outputs);
  bool extend_lease(ShardId shard, Epoch epoch, Instant until, ClusterOutputs& outputs);

  // storage_reshape.cpp: splits and merges, owner first and directory second
  void note_reshape(const ReshapeOrder& order, Instant now, ClusterOutputs& outputs);
  bool may_reshape(const ShardCopy& copy) const;
  void propose(ShardId shard, ClusterOutputs& outputs);
  bool is_of_reshape(const ShardRecord& record, DirectoryPosition changed_at, Instant now, ClusterOutputs& outputs);
  bool take_in_entry(const ShardCopy& noted, const ShardRecord& record, DirectoryPosition changed_at);
  bool has_entry_for(ShardId shard) const;
  void apply_entry_if_whole(ShardId shard, Instant now, ClusterOutputs& outputs);
  void drop_dead_notes(ShardId shard, Instant now, ClusterOutputs& outputs);
  void drop_refused_note(const CommandResult& result, Instant now, ClusterOutputs& outputs);
  void drop_note(ShardId shard, Instant now, ClusterOutputs& outputs);
  void learn_what_was_kept(ShardId shard, Instant now, ClusterOutputs& outputs);
  void stop_for_note(const ShardCopy& copy);
  bool is_everywhere(ShardId shard) const;
  void propose_what_waits_for(ShardId shard, ClusterOutputs& outputs);
  void reshape(ShardId shard, Instant now, ClusterOutputs& outputs);
  void take_up_reshaped(ShardId shard, Epoch epoch, Instant lease_until, Instant now, ClusterOutputs& outputs);
  void learn_later(const Entered& entered, Epoch epoch, Instant now, ClusterOutputs& outputs);
  bool make_room(const MoveOrder& order, Instant now, ClusterOutputs& outputs);

  // storage_reshape_follower.cpp: the same at who follows
  void reshape_replicas(Instant now, ClusterOutputs& outputs);
  bool divide_replica(const ShardCopy& copy, Instant now, ClusterOutputs& outputs);
  bool join_replicas(const ShardCopy& left, Instant now, ClusterOutputs& outputs);
  void settle_replica(ShardId shard, Instant now, ClusterOutputs& outputs);
  bool are_halves(const ShardCopy& left, const ShardCopy& right) const;
  static bool is_newer(const ShardCopy& part, const ShardCopy& copy);
  bool is_wanted(const ShardCopy& copy) const;
  bool may_be_part_of_replica(const ShardRecord& record) const;

  // storage_requests.cpp: clients' operations
  void serve(NodeId router, const Request& request, Instant now, ClusterOutputs& outputs);
  void execute(NodeId router, const Request& request, const ShardCopy& copy, Instant now, ClusterOutputs& outputs);
  void add_present(KeyRange range, KeySet& found) const;
  void add_orphans(KeyRange asked, KeySet& found) const;
  void scan(NodeId router, const Request& request, const ShardCopy& copy, Instant now, ClusterOutputs& outputs);
  void write(NodeId router, const Request& request, const ShardCopy& copy, Instant now, ClusterOutputs& outputs);
  void refuse(NodeId router, const Request& request, const ShardCopy& copy, Signal signal, Instant now,
              ClusterOutputs& outputs, bool is_for_load = false);
  bool is_overloaded() const;
  bool reads_behind_barrier(NodeId router, const Request& request, const ShardCopy& copy, Instant now,
                            ClusterOutputs& outputs) const;
  bool reads_retained(NodeId router, const Request& request, const ShardCopy& copy, ClusterOutputs& outputs);
  void perform(const Effect& effect, Instant now, ClusterOutputs& outputs);

  // storage_move.cpp: what both sides of a move have in common, and how a copy goes
  void on_move_timer(TimerToken token, Instant now, ClusterOutputs& outputs);
  void obey(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs);
  void report(NodeId mover, MoveReport report, const ShardRecord& record, Instant now, ClusterOutputs& outputs);
  void clean_up_late(ShardId shard, Instant now, ClusterOutputs& outputs);
  void clean_up(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs);
  void undo(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs);
  bool holds_back(NodeId router, const Request& request, const ShardCopy& copy, Instant now, ClusterOutputs& outputs);
  bool is_throttled(const ShardCopy& copy) const;
  void let_one_pass(ShardId shard, Instant now, ClusterOutputs& outputs);
  void count_throttled(ShardId shard, const HeldBack& passed, Instant now, ClusterOutputs& outputs);
  void tell_throttled_if_over(ShardId shard, ClusterOutputs& outputs);
  void drop_copy(ShardId shard, MoveId move, KeyRange keys, Instant now, ClusterOutputs& outputs);
  void erase_copy(ShardId shard, MoveId move, KeyRange keys, Instant now, ClusterOutputs& outputs);
  bool is_source_of(const ShardRecord& record) const;
  bool is_staging(const ShardRecord& record) const;

  // storage_source.cpp
  bool needs_log_for_copy(const ShardCopy& copy) const;
  void trim_log(ShardId shard, Instant now, ClusterOutputs& outputs);
  void open_capture(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs);
  void send_chunk(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs);
  void send_log(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs);
  void fence(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs);
  void on_fence_timeout(ShardId shard, Instant now, ClusterOutputs& outputs);
  Entry entry_to_send(const ShardCopy& copy, LogPosition position) const;
  void arm_fence_timer(ShardId shard, Instant now, ClusterOutputs& outputs);

  // storage_target.cpp
  void prepare_target(NodeId mover, const MoveOrder& order, Instant now, ClusterOutputs& outputs);
  bool has_room_for(const ShardRecord& record) const;
  void begin_copy(const ShardRecord& record, std::uint8_t attempt, Instant now, ClusterOutputs& outputs);
  void refuse_replay(NodeId mover, OrderKind kind, const ShardRecord& record, Instant now, ClusterOutputs& outputs);
  void stage_chunk(const Chunk& chunk, Instant now, ClusterOutputs& outputs);
  void stage_log(const LogBatch& batch, Instant now, ClusterOutputs& outputs);
  void stage(ShardId shard, const Entry& entry, ApplyCause cause, MoveId move, Instant now, ClusterOutputs& outputs);

  // storage_forwarding.cpp: requests that a source past its barrier hands on to the target
  bool forwards(const ShardCopy& copy) const;
  void hand_on(NodeId router, const Request& request, const ShardCopy& copy, Instant now, ClusterOutputs& outputs);
  void take_forwarded(const ForwardedRequest& forwarded, Instant now, ClusterOutputs& outputs);
  void serve_all_forwarded(ShardId shard, Instant now, ClusterOutputs& outputs);
  void serve_forwarded(const Forwarded& it, const ShardCopy& copy, Instant now, ClusterOutputs& outputs);
  void answer_before_grant(const Forwarded& it, const ShardCopy& copy, ClusterOutputs& outputs) const;

  // storage_dual_write.cpp: moves by dual writes
  bool captures(const ShardCopy& copy) const;
  LogPosition begin_capture(const ShardRecord& record, ClusterOutputs& outputs);
  void begin_sending(const ShardCopy& copy);
  void resume_capture(const ShardCopy& copy, Instant now, ClusterOutputs& outputs);
  bool waits_for_target(const Effect& effect, Instant now, ClusterOutputs& outputs);
  bool waits_for_target(const Fenced& fenced);
  void send_dual_writes(const ShardCopy& copy, Instant now, ClusterOutputs& outputs);
  void on_dual_writes_staged(const DualWritesStaged& staged, Instant now, ClusterOutputs& outputs);
  void on_dual_write_timer(ShardId shard, Instant now, ClusterOutputs& outputs);
  void propose_abort(const ShardCopy& copy, ClusterOutputs& outputs);
  void release_held(ShardId shard, LogPosition up_to, Instant now, ClusterOutputs& outputs);
  void end_capture_if_over(ShardId shard, Instant now, ClusterOutputs& outputs);
  void stage_dual_writes(const DualWrites& batch, Instant now, ClusterOutputs& outputs);
  void stage_dual_write(const ShardRecord& record, const Entry& entry, LogPosition after_position, Instant now,
                        ClusterOutputs& outputs);
  LogPosition apply_staged_dual_writes(const ShardRecord& record, LogPosition replayed_to, Instant now,
                                       ClusterOutputs& outputs);
  // storage_leave.cpp: nodes that join and leave
  bool takes_copies() const;
  bool is_leaving() const { return state_.takes_copies() == false; }
  void give_away(const ShardCopy& copy, Instant now, ClusterOutputs& outputs);
  bool dismiss_leaving(ShardId shard, ClusterOutputs& outputs);
  int members_to_stay(ShardId shard) const;
  int members_wanted() const;

  // storage_replica.cpp: both sides of a replica set
  void follow_record(ShardId shard, DirectoryPosition known_before, Instant now, ClusterOutputs& outputs);
  void report_if_lost(ShardId shard, ClusterOutputs& outputs);
  void ask_directory(CommandKind kind, ShardId shard, NodeId target, ClusterOutputs& outputs);
  void begin_replica(ShardId shard, Instant now, ClusterOutputs& outputs);
  void keep_followers(ShardId shard, bool has_just_started, Instant now, ClusterOutputs& outputs);
  void replicate(ShardId shard, Instant now, ClusterOutputs& outputs);
  void replicate_again(Instant now, ClusterOutputs& outputs);
  void probe_followers(Instant now, ClusterOutputs& outputs);
  void send_entries(ShardId shard, Follower& follower, ClusterOutputs& outputs);
  void send_part(ShardId shard, NodeId to, const FollowerReport& report, Instant now, ClusterOutputs& outputs);
  static bool is_outstanding(const Follower& follower, LogPosition durable_tail);
  void take_in(NodeId owner, const Replicate& replicate, Instant now, ClusterOutputs& outputs);
  void take_in(ShardId shard, const Entry& entry, Instant now, ClusterOutputs& outputs);
  void take_in(NodeId owner, const CopyPart& part, Instant now, ClusterOutputs& outputs);
  void report_standing(NodeId owner, ShardId shard, Epoch epoch, Instant now, ClusterOutputs& outputs);
  void on_standing(NodeId follower, const FollowerReport& report, Instant now, ClusterOutputs& outputs);
  void find_member(ShardId shard, ClusterOutputs& outputs);
  void wait_for_followers(ShardId shard, const Waiting& item, Instant now, ClusterOutputs& outputs);
  void release_waiting(ShardId shard, Instant now, ClusterOutputs& outputs);
  void confirm_barrier(const Fenced& fenced, Instant now, ClusterOutputs& outputs);

  Volatile& at(ShardId shard) { return volatile_[shard.value]; }
  const Volatile& at(ShardId shard) const { return volatile_[shard.value]; }

  ClusterOptions options_;
  Decisions decisions_;
  NodeId self_;
  StorageState state_;
  std::vector<Volatile> volatile_;  // by ShardId
  AfterSync<Pending> pending_;
  std::uint64_t appended_ = 0;
  std::uint64_t durable_ = 0;
  DirectoryLink link_;
  std::uint32_t ticks_ = 0;
  NodeRenewed renewed_;          // not used yet: something that was decided before it is not known
  bool is_replicating_ = false;  // a timer is set for what followers have not acknowledged
  Duration stepped_back_;        // see Decisions::end_on_own_clock
};

}  // namespace shardcheck::impl
