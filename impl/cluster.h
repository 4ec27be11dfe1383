// The reference cluster as one protocol: the types that a simulator needs to run it, and the processes it is made of.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "impl/directory_client.h"
#include "impl/directory_node.h"
#include "impl/mover.h"
#include "impl/options.h"
#include "impl/records.h"
#include "impl/router.h"
#include "impl/storage_node.h"

namespace shardcheck::impl {

// Any process of the cluster; a plain value.
class Process {
 public:
  using Role = std::variant<std::monostate, DirectoryNode, StorageNode, Router, Mover, DirectoryClient>;

  Process() = default;
  explicit Process(Role role) : role_(std::move(role)) {}
  void handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs);
  // Null for any other role.
  const StorageNode* storage() const { return std::get_if<StorageNode>(&role_); }
  const Mover* mover() const { return std::get_if<Mover>(&role_); }
  const DirectoryNode* directory() const { return std::get_if<DirectoryNode>(&role_); }

 private:
  Role role_;
};

struct Protocol {
  using Message = impl::Message;
  using Record = impl::Record;
  using Process = impl::Process;

  static constexpr std::uint8_t kMessageKinds = impl::kMessageKinds;
  static std::uint8_t kind_of(const Message& message) { return impl::kind_of(message); }
  static std::int64_t bytes_of(const Message& message) { return impl::bytes_of(message); }
  static std::uint64_t digest_of(const Message& message) { return impl::digest_of(message); }
};

// One process and the disk it starts with.
struct Provision {
  Process process;
  std::vector<Record> disk;
};
// In the order of their ids (options.h).
std::vector<Provision> make_cluster(const ClusterOptions& options);

}  // namespace shardcheck::impl
