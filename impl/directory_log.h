// The log of the directory, replicated over its members: which command stands at which position, once and for all. This
// is Raft (Ongaro and Ousterhout, "In Search of an Understandable Consensus Algorithm", 2014) for a fixed set of
// members, with a trial before each election (Ongaro's thesis, 9.6) so that a member that was away disturbs nobody.
// It knows nothing of what commands mean; whoever holds it proposes, and acts on what is committed, in order.
//
//   term      one leader at most; a member votes once in a term, durably
//   entry     counts for the majority only where it is durable; the leader's own disk counts like any other
//   commit    an entry of the leader's own term that a majority has commits everything before it; one of an older term
//             is never committed by counting, since a later leader may still replace it
//   repair    a follower whose log differs goes back to what it knows to be committed, and is sent the rest
//   snapshot  entries that were acted on are replaced by the state they led to; who needs an older one gets that state
//
// Terms, votes and entries are on disk before any answer that rests on them leaves. A command's position is fixed when
// it is appended, but means something only once it is committed: an uncommitted tail may be lost, its positions given
// to other commands.
//
// Elections are in directory_election.cpp, all else in directory_log.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "impl/after_sync.h"
#include "impl/decisions.h"
#include "impl/options.h"
#include "impl/records.h"
#include "spec/process.h"

namespace shardcheck::impl {

// The state that all commands up to `position` lead to.
struct LogSnapshot {
  DirectoryPosition position;
  Term term;  // of the entry at `position`
  std::vector<StatePart> parts;
};

class DirectoryLog {
 public:
  DirectoryLog(const ClusterOptions& options, NodeId self);

  // `initial` is the snapshot that the log of every member begins with.
  void start(LogSnapshot initial, std::span<const Record> durable, Instant now, ClusterOutputs& outputs);
  // False: the message is not about the log.
  bool receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs);
  void on_timer(TimerToken token, Instant now, ClusterOutputs& outputs);
  void on_synced(std::uint64_t count, Instant now, ClusterOutputs& outputs);

  bool is_leader() const { return role_ == Role::leader; }
  bool stands_for_election() const { return role_ == Role::trying || role_ == Role::candidate; }
  // Who leads as far as this member knows; kNoNode if it has heard of nobody for as long as an election waits.
  NodeId leader(Instant now) const;
  // The leader has heard from a majority, or a follower from its leader, not long ago: what is committed here is not
  // old.
  bool is_in_touch(Instant now) const;

  // Leader only. The command's position, if it is ever committed.
  DirectoryPosition propose(const Command& command, Instant now, ClusterOutputs& outputs);

  DirectoryPosition committed() const { return committed_; }
  DirectoryPosition last() const { return DirectoryPosition{snapshot_.position.value + entries_.size()}; }
  // For positions after the snapshot's, up to last().
  const LogEntry& entry(DirectoryPosition position) const;
  Term term() const { return term_; }
  const LogSnapshot& snapshot() const { return snapshot_; }
  // Longer than it needs to be, if everything up to `applied` was acted on.
  bool is_long(DirectoryPosition applied) const;
  // Forgets the entries up to `applied`, which led to the state `parts`.
  void compact(DirectoryPosition applied, std::vector<StatePart> parts, ClusterOutputs& outputs);

 private:
  static constexpr TimerToken kElection{1};
  static constexpr TimerToken kBeat{2};

  enum class Role : std::uint8_t { follower, trying, candidate, leader };
  // What the leader knows of another member.
  struct Peer {
    DirectoryPosition durable_to;     // its log is ours up to here, durably
    DirectoryPosition goes_on_after;  // what it is to be sent next comes after this
    Instant sent_at;
    Instant heard_at;
    bool is_waited_for = false;  // an answer is outstanding: what is proposed meanwhile goes out in one message
  };
  struct Send {
    NodeId to;
    Message message;
  };
  struct OwnVote {
    Term term;
  };
  struct OwnEntries {
    Term term;
    DirectoryPosition position;
  };
  using Pending = std::variant<Send, OwnVote, OwnEntries>;

  void recover(std::span<const Record> durable);
  void restore(const SnapshotKept& kept);
  void keep(const Record& record, ClusterOutputs& outputs);
  void once_durable(Pending pending, Instant now, ClusterOutputs& outputs);
  void release(Instant now, ClusterOutputs& outputs);

  void wait_for_leader(Instant now, ClusterOutputs& outputs);
  void begin_trial(Instant now, ClusterOutputs& outputs);
  void stand(Instant now, ClusterOutputs& outputs);
  void ask_for_votes(Term term, bool is_trial, ClusterOutputs& outputs) const;
  void on_vote_request(NodeId from, const VoteRequest& it, Instant now, ClusterOutputs& outputs);
  void on_vote(NodeId from, const Vote& it, Instant now, ClusterOutputs& outputs);
  void count_vote(NodeId from, Instant now, ClusterOutputs& outputs);
  void lead(Instant now, ClusterOutputs& outputs);
  void adopt(Term term, Instant now, ClusterOutputs& outputs);
  void follow(NodeId leader, Term term, Instant now, ClusterOutputs& outputs);
  bool is_as_long_as_ours(const VoteRequest& it) const;

  void beat(Instant now, ClusterOutputs& outputs);
  void send_entries(NodeId to, Instant now, ClusterOutputs& outputs);
  void send_snapshot(NodeId to, ClusterOutputs& outputs) const;
  void on_append(NodeId from, const Append& it, Instant now, ClusterOutputs& outputs);
  bool take_entries(const Append& it, ClusterOutputs& outputs);
  void on_snapshot(NodeId from, const SnapshotMessage& it, Instant now, ClusterOutputs& outputs);
  void install(LogSnapshot snapshot);
  void on_appended(NodeId from, const Appended& it, Instant now, ClusterOutputs& outputs);
  void advance_commit();

  Peer& peer(NodeId member) { return peers_[member.value]; }
  bool is_member(NodeId id) const { return id.value < options_.directories; }
  std::uint16_t majority() const { return static_cast<std::uint16_t>(options_.directories / 2 + 1); }
  Term term_at(DirectoryPosition position) const;
  void keep_snapshot(ClusterOutputs& outputs);

  ClusterOptions options_;
  Decisions decisions_;
  NodeId self_;

  // Durable.
  Term term_;
  NodeId vote_ = kNoNode;
  LogSnapshot snapshot_;
  std::vector<LogEntry> entries_;  // entries_[0] is at the position after the snapshot's

  // Lost in a crash.
  Role role_ = Role::follower;
  DirectoryPosition committed_;
  NodeId leader_ = kNoNode;
  Instant heard_at_;  // from the leader
  Instant deadline_;  // then this member tries to be the leader
  bool has_election_timer_ = false;
  bool has_beat_timer_ = false;
  std::uint32_t votes_ = 0;           // a bit for each member
  DirectoryPosition own_durable_to_;  // as leader: of the entries of its term
  std::array<Peer, kDirectoriesMax> peers_{};
  LogSnapshot arriving_;  // parts of a snapshot so far, in order
  AfterSync<Pending> pending_;
  std::uint64_t appended_ = 0;  // records
  std::uint64_t durable_ = 0;
};

}  // namespace shardcheck::impl
