// The seam for a whole system under test: something that takes steps and lets time pass. Implemented by the simulated
// reference, by the adapter of a cluster written as state machines (cluster.h), and by anyone who has a test harness of
// their own: a System needs no more than start, apply, advance, and to report what its clients were told.
//
// Facts (observation.h) go to the sink given at start. `Returned` is the one every System must report; each further
// kind makes more clauses observable. Facts are for judging and never steer a run.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "spec/judge.h"
#include "spec/observation.h"
#include "spec/operation.h"
#include "spec/types.h"

namespace shardcheck {

// A client starts an operation. It starts its next one only after Returned, or after it gave this one up.
struct ClientStep {
  RequestId request;
  Operation operation;

  friend bool operator==(const ClientStep&, const ClientStep&) = default;
};
// An operator asks for a range to be moved.
struct MoveStep {
  ShardId shard;
  NodeId target;
  MoveOptions how = {};  // as far as the system knows of such things

  friend bool operator==(const MoveStep&, const MoveStep&) = default;
};
// An operator asks for a range to be split before `at`, which becomes the first key of the right half.
struct SplitStep {
  ShardId shard;
  Key at;

  friend bool operator==(const SplitStep&, const SplitStep&) = default;
};
// An operator asks for a range to be merged with its right neighbour.
struct MergeStep {
  ShardId shard;

  friend bool operator==(const MergeStep&, const MergeStep&) = default;
};
// An operator asks for the metadata shard that is responsible for the key to be split there.
struct MetadataSplitStep {
  Key at;

  friend bool operator==(const MetadataSplitStep&, const MetadataSplitStep&) = default;
};
// A storage node that was set up and held back becomes a candidate for copies.
struct JoinStep {
  NodeId node;

  friend bool operator==(const JoinStep&, const JoinStep&) = default;
};
// A storage node gives everything away that it keeps, takes nothing more, and is then stopped for good.
struct LeaveStep {
  NodeId node;
  bool is_at_once = false;  // it is stopped as soon as it hears of it, whatever it keeps: an operator's mistake

  friend bool operator==(const LeaveStep&, const LeaveStep&) = default;
};
// A fault, done now and by itself.
struct FaultStep {
  FaultKind kind = FaultKind::crashed;  // crashed, disk_lost, paused, link_cut, lost_for_good
  NodeId process;
  NodeId peer = kNoNode;  // link_cut: the other end
  Duration duration;

  friend bool operator==(const FaultStep&, const FaultStep&) = default;
};

struct Step {
  TrueTime at;
  std::variant<ClientStep, MoveStep, SplitStep, MergeStep, MetadataSplitStep, JoinStep, LeaveStep, FaultStep> what;

  friend bool operator==(const Step&, const Step&) = default;
};

// What a process is for, as far as a fault that strikes it matters to a move.
enum class ProcessRole : std::uint8_t { directory, storage, router, mover };

class System {
 public:
  virtual ~System() = default;

  // Begins a fresh run at time 0. `sink` outlives the run.
  virtual void start(ObservationSink& sink) = 0;
  // The ids, key space and bounds by which its facts are judged; the same for the whole run, known before start.
  virtual Bounds bounds() const = 0;
  // Starts a step at the present time. False: this system cannot do such a thing, and nothing happened.
  virtual bool apply(const Step& step) = 0;
  // Lets time pass up to `until`. False: a bound on the work of one run was hit, and the run cannot go on.
  virtual bool advance(TrueTime until) = 0;
  virtual TrueTime now() const = 0;
  // Ends all faults, but brings nobody back who is lost for good.
  virtual void heal() = 0;
  // True once nothing is under way but clients' requests: no move, and every range has an owner that serves. A system
  // that cannot tell says false, and is waited for.
  virtual bool is_settled() const { return false; }
  // For saying whom a fault struck. A system that makes no difference says storage.
  virtual ProcessRole role_of(NodeId) const { return ProcessRole::storage; }
  // What this client goes through is lost for good: nothing is promised to it, and it asks for nothing more.
  virtual bool is_cut_off(ClientId) const { return false; }
  // Reports what is there at the end (CopyHeld), where that can be seen.
  virtual void tell_end() {}
  // How much work the run was, and a digest of it; 0 where there is none.
  virtual std::uint64_t events() const { return 0; }
  virtual std::uint64_t digest() const { return 0; }
};

}  // namespace shardcheck
