// What every monitor is handed with a fact: when, by whom, what is known from the facts before it, and where findings
// go.
#pragma once

#include "spec/bounds.h"
#include "spec/findings.h"
#include "spec/known_cluster.h"

namespace shardcheck {

struct MonitorContext {
  TrueTime at;
  NodeId by;
  const Bounds& bounds;
  const KnownCluster& known;  // before the fact
  Findings& findings;

  // One real comparison. `message` is only called when it fails and is the first failure of its clause.
  template <class Message>
  void expect(ClauseId clause, bool holds, const Message& message) const {
    findings.checked(clause);
    if (!holds) [[unlikely]] {
      accuse(clause, message);
    }
  }

  template <class Message>
  void accuse(ClauseId clause, const Message& message) const {
    if (!findings.is_violated(clause)) {
      findings.violated(clause, at, message());
    }
  }
};

}  // namespace shardcheck
