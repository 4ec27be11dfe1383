// The seeded bugs of the reference: each one is one wrong answer to one question that the protocol asks in one place.
// A mutant is chosen at run time, in the same binary; `none` is the reference itself.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "spec/clauses.h"

namespace shardcheck::impl {

enum class Mutant : std::uint8_t {
  none,
  // ring
  ring_insertion_tiebreak,
  ring_collision_overwrite,
  ring_remove_by_position,
  ring_no_wrap,
  ring_upper_bound,
  ring_signed_compare,
  ring_index_sorted_as_string,
  ring_salted_hash,
  ring_label_depends_on_n,
  ring_mod_n,
  ring_jump_middle_removal,
  ring_weight_floor_zero,
  ring_weight_ignored,
  ring_add_remove_residue,
  pref_counts_vnodes,
  pref_no_wrap,
  // directory
  dir_commit_unconditional,
  dir_overlapping_moves,
  dir_split_gap,
  dir_split_overlap,
  dir_split_keeps_epoch,
  dir_merge_epoch_left_only,
  dir_metadata_split_first,
  dir_failover_reassigns_parent,
  dir_epoch_reuse_after_failover,
  dir_grant_not_majority,
  dir_stale_report_wins,
  dir_watch_drop,
  metadata_shards_own_clocks,
  // lease
  lease_ttl_from_receipt,
  lease_check_at_admission_only,
  lease_kept_after_transfer,
  lease_no_skew,
  lease_resumed_after_restart,
  lease_ttl_reset_on_failover,
  lease_wall_clock,
  lease_mass_expiry,
  // epoch and fence
  fence_less_or_equal_off_by_one,
  fence_memory_only,
  fence_accepts_future,
  fence_router_only,
  // move
  move_ack_after_barrier,
  move_barrier_before_drain,
  move_log_off_by_one,
  move_backfill_overwrites_newer,
  move_no_tombstones,
  move_dedup_not_copied,
  move_activate_on_copy_done,
  move_switch_without_catchup,
  cleanup_before_confirm,
  cleanup_wrong_bounds,
  fence_expiry_resumes,
  move_empty_delta_no_forwarder,
  move_forward_early,
  move_source_acks_before_forward,
  dual_write_acked_before_staged,
  forwarded_answered_before_grant,
  move_tombstone_gc_at_target,
  move_switch_before_drain,
  move_commit_retry_twice,
  move_abort_leaves_fence,
  move_abort_leaves_copy,
  move_phase_volatile,
  move_target_death_ignored,
  cleanup_on_timer,
  cleanup_races_return,
  cleanup_never,
  move_range_end_inclusive,
  move_never_converges,
  move_permanent_error_retried,
  move_empty_range_never_done,
  stale_mover_acts,
  log_trimmed_mid_copy,
  reads_after_barrier,
  // router and client
  client_refresh_on_any_error,
  client_never_refreshes,
  client_no_singleflight,
  client_collapses_errors,
  client_new_request_id_on_retry,
  redirect_cycle,
  temp_redirect_updates_map,
  read_only_in_history,
  scan_orphans,
};

struct MutantRow {
  Mutant mutant;
  std::string_view text_id;       // "MU060"
  std::string_view component;     // "move"
  std::string_view name;          // "move_no_tombstones"
  std::string_view what;          // what is broken
  std::vector<ClauseId> clauses;  // by these it must be caught
};

// All mutants but `none`, in the order of the enum.
std::span<const MutantRow> mutants();
const MutantRow& row_of(Mutant mutant);  // not for `none`
std::optional<Mutant> mutant_by_name(std::string_view name);

}  // namespace shardcheck::impl
