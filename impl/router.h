// A router: keeps a map of who owns what, sends clients' operations there, and follows the three signals. It remembers
// nothing across a crash. Its map begins empty: it asks any node, without an epoch, and is redirected; from then on it
// learns from signals and by polling.
//
//   stale epoch   refresh the map, then try again
//   not the owner take in the record that came with the signal, then try there
//   transient     try the same target again later; never refresh
//   no answer     try again; never refresh
//
// A request given up after any transient or unanswered attempt has an unknown outcome; otherwise it had no effect.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "impl/decisions.h"
#include "impl/directory_link.h"
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

  void start(Instant now, ClusterOutputs& outputs);
  void receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs);
  void on_request(const ClientRequest& asked, Instant now, ClusterOutputs& outputs);
  void on_reply(const Reply& reply, Instant now, ClusterOutputs& outputs);
  bool goes_on(Outstanding& it, const Reply& reply);
  void on_refusal(const Refusal& refusal, Instant now, ClusterOutputs& outputs);
  void on_deadline(Outstanding& it, Instant now, ClusterOutputs& outputs);
  void on_poll_timer(Instant now, ClusterOutputs& outputs);
  void learn(const ShardRecord& record, DirectoryPosition changed_at, ClusterOutputs& outputs);
  void tell_learned(const Known& known, ClusterOutputs& outputs) const;
  void resume_waiting(Instant now, ClusterOutputs& outputs);
  void follow(Outstanding& it, const ShardRecord& named, Instant now, ClusterOutputs& outputs);
  void try_at(Outstanding& it, HopCause cause, NodeId to, Epoch epoch, Instant now, ClusterOutputs& outputs);
  void try_again(Outstanding& it, HopCause cause, Instant now, ClusterOutputs& outputs);
  NodeId guess(const Outstanding& it) const;
  void wait_for_map(Outstanding& it, HopCause cause, Instant now, ClusterOutputs& outputs);
  void give_up(const Outstanding& it, ClusterOutputs& outputs);
  void wake(const Outstanding& it, ClusterOutputs& outputs);
  std::optional<Outstanding>& outstanding_of(const Attempt& attempt);
  const Known* find(Key key) const;

  ClusterOptions options_;
  Decisions decisions_;
  NodeId self_;
  std::vector<Known> map_;                           // by ShardId
  std::vector<std::optional<Outstanding>> clients_;  // by ClientId
  std::optional<Outstanding> nobody_;
  DirectoryLink link_;
  DirectoryPosition needed_;                 // the newest position that a signal named
  std::optional<Instant> refresh_deadline_;  // set while a refresh is under way; all who need one wait for the same
};

}  // namespace shardcheck::impl
