// Judges a run by the catalogue: feed it every observation in order of true time, then finish. Gives back, for each
// clause, how often it was checked and the first violation.
//
//   Judge judge(bounds);
//   for (const Observed& each : run) judge.on(each);
//   judge.finish(end);
//   judge.findings().violations();
//
// D1-D6, L1-L5, M1-M11, R1-R4, S1, V1, V2 and V4-V6 are judged here. A clause with no checks was not observable in
// this run. An observation costs constant time but for the rare changes of the directory; memory is kept over resets.
#pragma once

#include "spec/bounds.h"
#include "spec/capacity_monitor.h"
#include "spec/dense_index.h"
#include "spec/directory_monitor.h"
#include "spec/findings.h"
#include "spec/history_monitor.h"
#include "spec/known_cluster.h"
#include "spec/lease_monitor.h"
#include "spec/liveness_monitor.h"
#include "spec/log_monitor.h"
#include "spec/move_monitor.h"
#include "spec/observation.h"
#include "spec/progress_monitor.h"
#include "spec/refresh_monitor.h"
#include "spec/router_monitor.h"
#include "spec/scan_monitor.h"
#include "spec/service_monitor.h"
#include "spec/split_monitor.h"
#include "spec/tier_monitor.h"

namespace shardcheck {

class Judge final : public ObservationSink {
 public:
  explicit Judge(const Bounds& bounds) { reset(bounds); }

  // As newly made, without giving memory back.
  void reset(const Bounds& bounds);

  // Identifiers must keep to the bounds; keys may be anything.
  void on(const Observed& observed) override;
  // At most once, after the last observation; `end` is when the run was over.
  void finish(TrueTime end);

  const Findings& findings() const { return findings_; }
  // What the facts so far say about the cluster.
  const KnownCluster& known() const { return known_; }

 private:
  template <class Fact>
  void judge(const Fact& fact, const MonitorContext& context);
  template <class Fact>
  void judge_process(const Fact& fact, const MonitorContext& context);
  template <class Fact>
  void judge_copy(const Fact& fact, const MonitorContext& context);
  void judge_operation(const Invoked& fact, const MonitorContext& context);
  void judge_operation(const Returned& fact, const MonitorContext& context);
  void judge_applied(const Applied& fact, const MonitorContext& context);
  void judge_hop(const Hop& fact, const MonitorContext& context);
  void judge_answered(const Answered& fact, const MonitorContext& context);
  std::uint32_t number_of(RequestId request);

  Bounds bounds_;
  Findings findings_;
  KnownCluster known_;
  DenseIndex requests_;
  DirectoryMonitor directory_;
  TierMonitor tier_;
  LeaseMonitor lease_;
  MoveMonitor move_;
  RouterMonitor router_;
  RefreshMonitor refresh_;
  HistoryMonitor history_;
  LivenessMonitor liveness_;
  SplitMonitor split_;
  ScanMonitor scan_;
  LogMonitor log_;
  CapacityMonitor capacity_;
  ServiceMonitor service_;
  ProgressMonitor progress_;
};

}  // namespace shardcheck
