#include "impl/cluster.h"

#include "impl/overloaded.h"

namespace shardcheck::impl {

void Process::handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs) {
  std::visit(Overloaded{
                 [](std::monostate) {},
                 [&](auto& role) { role.handle(input, now, outputs); },
             },
             role_);
}

std::vector<Provision> make_cluster(const ClusterOptions& options) {
  const Roles roles(options);
  std::vector<Provision> cluster;
  cluster.reserve(roles.processes());
  for (std::uint16_t i = 0; i < roles.directories(); ++i) {
    cluster.push_back({Process(DirectoryNode(options, roles.directory(i))), {}});
  }
  for (std::uint16_t i = 0; i < roles.storage_nodes(); ++i) {
    const NodeId id = roles.storage(i);
    cluster.push_back({Process(StorageNode(options, id)), initial_disk(options, id)});
  }
  for (std::uint16_t i = 0; i < roles.routers(); ++i) {
    cluster.push_back({Process(Router(options, roles.router(i))), {}});
  }
  for (std::uint16_t i = 0; i < roles.movers(); ++i) {
    cluster.push_back({Process(Mover(options, roles.mover(i))), {}});
  }
  return cluster;
}

}  // namespace shardcheck::impl
