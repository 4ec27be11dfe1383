// A router: sends clients' operations to whoever owns their keys, and follows the three signals. Its kind (options.h)
// says how an operation begins:
//
// - client cache: by its map, which begins empty; where it has a hole, any node is asked, without an epoch, and
//   redirects.
// - routing tier: by its map; where it has a hole, the operation waits for a read of the directory.
// - direct reads: by a lookup of the key in the directory for this operation.
// - coordinator: any node is asked, without an epoch, and redirects.
//
// From then on all do the same, but that a coordinator never reads the directory:
//
// - stale epoch: refresh the map, then try again; a coordinator asks whoever said so.
// - not the owner: take in the record that came with the signal, then try there.
// - transient: try the same target again later; never refresh.
// - no answer: try again; never refresh.
//
// The first two kinds poll, a tier is also told of every change and catches up at once when it missed one. The other
// two keep the records that they saw only so as never to go back to an older one. Nothing is remembered across a crash.
// Operations that need a newer map share one read, and only a grant that a signal named makes one.
// A request given up after any transient or unanswered attempt has an unknown outcome; otherwise it had no effect.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "impl/counted_timers.h"
#include "impl/decisions.h"
#include "impl/directory_link.h"
#include "impl/directory_lookup.h"
#include "impl/options.h"
#include "impl/records.h"
#include "spec/process.h"

namespace shardcheck::impl {

class Router {
 public:
  Router(const ClusterOptions& options, NodeId self);

  void handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs);

 private:
  enum class State : std::uint8_t { sent, waiting_for_map, backing_off };
  struct Outstanding {
    ClientRequest asked;
    Attempt attempt;            // the one under way
    std::uint8_t attempts = 0;  // made so far
    std::uint8_t tries = 0;     // of them, those since a scan last got on
    Value found;                // by a scan, up to the key that is now asked for
    Epoch epoch;                // that it carried
    Epoch needed;               // waiting_for_map: of the grant to wait for; 0: of any
    State state = State::waiting_for_map;
    HopCause cause = HopCause::first;  // of the attempt to come
    Instant deadline;                  // then: no answer, or time to try again
    bool had_transient = false;
    bool had_unanswered = false;
  };
  struct Known {
    ShardRecord record;
    DirectoryPosition changed_at;  // 0: nothing known
  };
  // Keys that a range had, as far as the router knows, and has no more: who has them now must have changed after that.
  struct Parted {
    KeyRange keys;
    DirectoryPosition known_at;
  };
  // A read of the directory that an error made necessary.
  struct Refresh {
    Key key;
    Epoch needed;
    Instant deadline;
  };

  void start(Instant now, ClusterOutputs& outputs);
  void receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs);
  void on_request(const ClientRequest& asked, Instant now, ClusterOutputs& outputs);
  void begin(Outstanding& it, Instant now, ClusterOutputs& outputs);
  void on_reply(const Reply& reply, Instant now, ClusterOutputs& outputs);
  bool goes_on(Outstanding& it, const Reply& reply);
  void on_refusal(NodeId from, const Refusal& refusal, Instant now, ClusterOutputs& outputs);
  void on_stale(Outstanding& it, NodeId from, Epoch current, Instant now, ClusterOutputs& outputs);
  void on_deadline(Outstanding& it, Instant now, ClusterOutputs& outputs);
  void try_again(Outstanding& it, HopCause cause, Instant now, ClusterOutputs& outputs);
  void follow(Outstanding& it, const ShardRecord& named, Instant now, ClusterOutputs& outputs);
  void send(Outstanding& it, HopCause cause, NodeId to, Epoch epoch, Instant now, ClusterOutputs& outputs);
  NodeId guess(const Outstanding& it) const;
  void give_up(const Outstanding& it, ClusterOutputs& outputs);
  void wake(const Outstanding& it, ClusterOutputs& outputs);
  std::optional<Outstanding>& outstanding_of(const Attempt& attempt);

  // router_map.cpp: what is known, and how more is learnt
  void on_update(const RecordUpdate& update, Instant now, ClusterOutputs& outputs);
  void on_looked_up(const LookupResult& result, Instant now, ClusterOutputs& outputs);
  void on_turned_away(NodeId member, const NotLeader& it, ClusterOutputs& outputs);
  void learn(const ShardRecord& record, DirectoryPosition changed_at, ClusterOutputs& outputs);
  void remember_parted(const Known& before, KeyRange after);
  void close_parted(const Known& known);
  void tell_learned(const Known& known, ClusterOutputs& outputs) const;
  void wait_for_map(Outstanding& it, HopCause cause, Epoch needed, Instant now, ClusterOutputs& outputs);
  void read_directory(Key key, Epoch needed, ClusterOutputs& outputs);
  void refresh(const Outstanding& it, Instant now, ClusterOutputs& outputs);
  void resume_waiting(const KeyRange& range, Instant now, ClusterOutputs& outputs);
  void end_refresh_if_answered(Instant now, ClusterOutputs& outputs);
  void end_refresh(bool is_answered, ClusterOutputs& outputs);
  bool has_map() const { return kind_ == RouterKind::client_cache || kind_ == RouterKind::routing_tier; }
  const Known* find(Key key) const;

  ClusterOptions options_;
  Decisions decisions_;
  NodeId self_;
  RouterKind kind_;
  std::vector<Known> map_;                           // by ShardId
  std::vector<Parted> parted_;                       // nothing newer is known of these keys
  std::vector<std::optional<Outstanding>> clients_;  // by ClientId
  std::vector<CountedTimers> timers_;                // by ClientId, for its deadline
  std::optional<Outstanding> nobody_;
  DirectoryLink link_;
  DirectoryLookup lookup_;
  std::optional<Refresh> refresh_;  // all who need it wait for the same
};

}  // namespace shardcheck::impl
