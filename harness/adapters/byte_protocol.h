// A foreign cluster (spec/cluster.h) as one protocol of the simulated world: its processes, and one more that stands
// for all clients, so that their messages travel over links like any others and deviations can be anchored at them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "spec/bounds.h"
#include "spec/cluster.h"

namespace shardcheck::harness {

struct ByteMessage {
  std::string bytes;
  NodeId on_to = kNoNode;  // a request on its way to the clients' process: where that sends it
  std::uint8_t kind = 0;
};
using ByteMessageInput = Input<ByteMessage, std::string>;
using ByteMessageOutputs = Outputs<ByteMessage, std::string>;

// What all processes of one run share.
struct ByteClusterContext {
  const Cluster* cluster = nullptr;
  Bounds bounds;
  NodeId clients;  // the process that stands for them: the one after the last of the cluster
  std::uint8_t last_kind = 0;
  std::string error;      // why the run cannot be judged, if it cannot
  ByteOutputs outputs{};  // reused between calls

  void fail(NodeId process, const std::string& what);
  // Kinds that have no name are taken for the last one.
  std::uint8_t kind_of(const std::string& bytes) const { return std::min(cluster->kind_of(bytes), last_kind); }
};

class ByteProcess {
 public:
  ByteProcess() = default;
  ByteProcess(ByteClusterContext& context, NodeId id) : context_(&context), id_(id) {}
  // A copy is a process before its first input: the world copies only those.
  ByteProcess(const ByteProcess& other) : context_(other.context_), id_(other.id_) {}
  ByteProcess& operator=(const ByteProcess& other);
  ByteProcess(ByteProcess&&) = default;
  ByteProcess& operator=(ByteProcess&&) = default;
  ~ByteProcess() = default;

  void handle(const ByteMessageInput& input, Instant now, ByteMessageOutputs& outputs);

 private:
  void pass_on(const Received<ByteMessage>& received, ByteMessageOutputs& outputs) const;
  void call(const ByteInput& input, Instant now);
  void check_outputs();
  void hand_over(ByteMessageOutputs& outputs);

  ByteClusterContext* context_ = nullptr;
  NodeId id_;
  std::unique_ptr<ClusterProcess> process_;
};

struct ByteProtocol {
  using Message = ByteMessage;
  using Record = std::string;
  using Process = ByteProcess;

  static constexpr std::uint8_t kMessageKinds = kMessageKindsMax;
  static std::uint8_t kind_of(const Message& message) { return message.kind; }
  static std::int64_t bytes_of(const Message& message);
  static std::uint64_t digest_of(const Message& message);
};

// What is wrong with a fact that a process told: ids out of bounds, or a kind that is not for processes to tell.
// Empty if nothing is.
std::string fault_of(const Observation& fact, const Bounds& bounds);

}  // namespace shardcheck::harness
