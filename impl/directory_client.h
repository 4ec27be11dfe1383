// A client of the directory's settings: small registers of the directory itself, beside the records. They show the
// directory as a system of its own, whose history of reads, writes and compare-and-sets must be linearizable.
//
// One request at a time. It asks again, under the same id, until it is answered or has asked often enough; then the
// outcome is unknown.
#pragma once

#include <cstdint>
#include <optional>

#include "impl/counted_timers.h"
#include "impl/directory_link.h"
#include "impl/options.h"
#include "impl/records.h"
#include "spec/process.h"

namespace shardcheck::impl {

class DirectoryClient {
 public:
  DirectoryClient(const ClusterOptions& options, NodeId self) : options_(options), self_(self) {}

  void handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs);

 private:
  void receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs);
  void ask(Instant now, ClusterOutputs& outputs);

  ClusterOptions options_;
  NodeId self_;
  DirectoryLink link_;
  std::optional<ClientRequest> asked_;
  std::uint8_t attempts_ = 0;
  Instant deadline_;
  CountedTimers timers_;
};

}  // namespace shardcheck::impl
