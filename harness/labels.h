// The kinds of questions that the generator of scenarios and the drawn deviations ask of Choices.
#pragma once

#include <cstdint>

#include "sim/choices.h"

namespace shardcheck::harness {

enum class Ask : std::uint8_t {
  storage_nodes,
  shards,
  clients,
  routers,
  link_variety,
  clock_offset,
  clock_drift,
  fault_rate,
  fault_enabled,
  steps,
  step_gap,
  step_kind,
  step_client,
  step_place,
  step_key,
  step_operation,
  step_expected,
  move_shard,
  move_target,
  move_options,
  deviation_gap,
  deviation_kind,
  deviation_size,
  deviation_moment,
  deviation_detail,
  reshape,
  split_key,
  scan,
  scan_end,
  directories,
  router_kind,
  fault_focus,
  fault_phase,
  movers,
  moves_at_once,
  catch_up,
  catch_up_rounds,
  entry_cost,
  log_bound,
  node_room,
  link_speed,
  workload_kind,
  replicas,
  lease_per,
  metadata_split,
  unanswered,
  inbox,
  burst,
  drift_change,
  lost_for_good,
  join_and_leave,
  torn,
};

constexpr sim::Label label(Ask kind, std::uint32_t counter = 0, std::uint16_t subject = 0) {
  return {static_cast<std::uint8_t>(kind), subject, counter};
}

}  // namespace shardcheck::harness
