// A foreign cluster (spec/cluster.h) in the simulated world, as a System. It knows of the cluster what its shape says,
// what its messages mean to clients, and the facts that its processes tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/adapters/byte_protocol.h"
#include "harness/claim_teller.h"
#include "harness/describe.h"
#include "harness/deviations.h"
#include "harness/generate.h"
#include "harness/simulated_system.h"
#include "spec/cluster.h"
#include "spec/error.h"

namespace shardcheck::harness {

// What is wrong with a shape, if anything is.
Result<void> check_shape(const ClusterShape& shape);
SimulatedShape simulated_shape_of(const ClusterShape& shape);
FaultLimits fault_limits_of(const ClusterShape& shape);

class ClusterSystem final : public SimulatedSystem<ByteProtocol, ClusterSystem> {
 public:
  // `cluster` must outlive this object, and its shape must pass check_shape.
  explicit ClusterSystem(const Cluster& cluster);

  void start(ObservationSink& sink) override;
  Bounds bounds() const override { return context_.bounds; }
  bool apply(const Step& step) override;
  bool advance(TrueTime until) override;

  // Why the last run could not go on and cannot be judged: an exception, a message to nobody, an answer that names no
  // client. Empty if nothing was wrong.
  const std::string& error() const { return context_.error; }
  const ClusterShape& shape() const { return shape_; }

  // What the world calls.
  void replied(NodeId from, const ByteMessage& message, TrueTime at);
  void observed(TrueTime at, NodeId by, const Observation& fact);
  void handled(NodeId process, TrueTime at);
  void traced(const sim::TraceEvent<ByteProtocol>& event);
  Wording wording() const { return wording_of(shape_); }

 private:
  struct Claim {
    ShardId shard;
    KeyRange range;
    Epoch epoch;
    Instant until;

    friend bool operator==(const Claim&, const Claim&) = default;
  };
  struct Provision {
    ByteProcess process;
    std::vector<std::string> disk;
  };

  std::vector<Provision> provisions();
  bool send_request(const std::optional<Addressed>& request);
  std::optional<Claim>& claim(NodeId process, ShardId shard);
  void set_claim(TrueTime at, NodeId process, ShardId shard, const std::optional<Claim>& claimed);

  const ClusterShape shape_;
  ByteClusterContext context_;
  std::vector<std::optional<Claim>> claims_;  // by process, then ShardId
  ClaimTeller<Claim> teller_;
};

}  // namespace shardcheck::harness
