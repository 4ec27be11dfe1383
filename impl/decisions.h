// Every decision on which safety hangs, as one named question answered in one place. The protocol's code asks; a mutant
// is one wrong answer. `Mutant::none` gives the right ones.
#pragma once

#include <cstdint>
#include <utility>

#include "impl/mutant.h"
#include "spec/observation.h"
#include "spec/types.h"

namespace shardcheck::impl {

class Decisions {
 public:
  constexpr Decisions() = default;
  explicit constexpr Decisions(Mutant mutant) : mutant_(mutant) {}

  // Directory.

  // Is a commit compared with the record that it changes: its move, mover, phase and epoch?
  bool compares_before_commit() const { return !is(Mutant::dir_commit_unconditional); }
  // May a move begin on a range that is in one already?
  bool may_begin_second_move() const { return is(Mutant::dir_overlapping_moves); }

  // Whose split is it: does the directory enter only what the owner has durably done?
  bool owner_splits_first() const { return !is(Mutant::dir_metadata_split_first); }
  // What the halves of a range cover that is split before `at`.
  std::pair<KeyRange, KeyRange> halves(KeyRange range, Key at) const {
    return {{range.lo, is(Mutant::dir_split_overlap) ? next(at) : at},
            {is(Mutant::dir_split_gap) ? next(at) : at, range.hi}};
  }
  // Every change of bounds is a grant of its own, with an epoch above those of all that it covers.
  Epoch epoch_of_halves(Epoch granted, Epoch parent) const {
    return is(Mutant::dir_split_keeps_epoch) ? parent : granted;
  }
  Epoch epoch_of_merged(Epoch granted, Epoch left) const {
    return is(Mutant::dir_merge_epoch_left_only) ? Epoch{left.value + 1} : granted;
  }
  // Does a directory that has restarted put back a parent that was split before, as if its old record still stood?
  bool restores_split_parents() const { return is(Mutant::dir_failover_reassigns_parent); }
  // How many members must have an entry durably before it is committed?
  std::uint16_t acknowledgements_needed(std::uint16_t members) const {
    return is(Mutant::dir_epoch_reuse_after_failover) ? 1 : static_cast<std::uint16_t>(members / 2 + 1);
  }
  // Under which epoch is a range granted, at `position` of the one log and as its metadata shard's n-th grant?
  Epoch epoch_of_grant(DirectoryPosition position, std::uint64_t nth_of_metadata_shard) const {
    return is(Mutant::metadata_shards_own_clocks) ? Epoch{nth_of_metadata_shard} : epoch_of(position);
  }
  // Does the leader act on a command only when a majority has it?
  bool waits_for_majority() const { return !is(Mutant::dir_grant_not_majority); }
  // A node reports as the owner under an epoch that is over: is that refused, or does it overwrite the record?
  bool refuses_older_reports() const { return !is(Mutant::dir_stale_report_wins); }
  // A change arrives, and one before it was missed: does the receiver remember that it lacks something?
  bool catches_up_on_missed_changes() const { return !is(Mutant::dir_watch_drop); }
  // Does a new leader take every lease as it is in the log, or let all of them begin anew?
  bool keeps_leases_on_failover() const { return !is(Mutant::lease_ttl_reset_on_failover); }
  // Is a command or an order of a mover whose move another one has taken over refused?
  bool refuses_older_movers() const { return !is(Mutant::stale_mover_acts); }
  // Is a commit that comes once more the same commit, or one more change of owner?
  bool repeats_commit_as_nothing() const { return !is(Mutant::move_commit_retry_twice); }

  // Leases.

  // Until when does a holder trust the lease it was just answered? The directory promised `until`, which was counted
  // from the sending of the request; counting from receipt would add the time the answer was on its way.
  Instant trusted_until(Instant until, Instant received_at, Duration lease_duration) const {
    return is(Mutant::lease_ttl_from_receipt) ? received_at + lease_duration : until;
  }
  // Must the lease still hold when the effect becomes visible? A check at admission alone says nothing after a pause.
  bool checks_lease_at_effect() const { return !is(Mutant::lease_check_at_admission_only); }
  // Does the source let go of its lease when it confirmed the barrier or learnt of the switch?
  bool gives_up_lease_at_handover() const { return !is(Mutant::lease_kept_after_transfer); }
  // After a restart, is the lease found on disk worth anything? The clock or the grant may have gone on without us.
  bool trusts_lease_found_on_disk() const { return is(Mutant::lease_resumed_after_restart); }

  // Up to which end have leases run out on every clock within the bound, when the directory's reads `now`?
  Instant expired_by(Instant now, Duration clock_offset_max) const {
    return is(Mutant::lease_no_skew) ? now : now - clock_offset_max * 2;
  }
  // After a time in which the directory was not there, may holders renew first before leases count as run out?
  bool gives_grace_after_stall() const { return !is(Mutant::lease_mass_expiry); }
  // By which clock does a holder judge its lease: its own, within the bound, or one that is set by what answers seem to
  // say of the time, and so steps back by as much as an answer was late?
  Instant end_on_own_clock(Instant until, Duration stepped_back) const {
    return is(Mutant::lease_wall_clock) ? until + stepped_back : until;
  }

  // Epochs.

  // Does a server that is asked under an epoch above what it knows believe that the range is its own by it?
  bool believes_future_epochs() const { return is(Mutant::fence_accepts_future); }
  // Is a request with this epoch below what the node has seen, and so stale?
  bool is_stale(Epoch request_epoch, Epoch highest_seen) const {
    if (is(Mutant::fence_less_or_equal_off_by_one)) {
      return false;  // lets every older epoch pass as if it were the current one
    }
    return request_epoch < highest_seen;
  }
  // Does the server compare epochs at all, or does it trust routers to ask the right node?
  bool compares_epochs() const { return !is(Mutant::fence_router_only); }
  // Is what the directory told about epochs written to disk?
  bool keeps_epochs_on_disk() const { return !is(Mutant::fence_memory_only); }

  // Move.

  // Does a mover give a move up when a side is silent for too long or lost its copy?
  bool gives_up_dead_target() const { return !is(Mutant::move_target_death_ignored); }
  // Does it, when the target says that it can never replay what it is sent?
  bool gives_up_on_replay_error() const { return !is(Mutant::move_permanent_error_retried); }
  // Does the source stop before the directory switches, or does it drain when it learns of the switch?
  bool fences_before_switch() const { return !is(Mutant::move_switch_before_drain); }
  // Is a fence found on disk after a restart still one?
  bool remembers_fence() const { return !is(Mutant::move_phase_volatile); }
  bool stops_reads_at_barrier() const { return !is(Mutant::reads_after_barrier); }
  bool lifts_fence_on_abort() const { return !is(Mutant::move_abort_leaves_fence); }
  bool drops_copy_on_abort() const { return !is(Mutant::move_abort_leaves_copy); }
  KeyRange keys_to_copy(KeyRange range) const {
    return is(Mutant::move_range_end_inclusive) ? KeyRange{range.lo, next(range.hi)} : range;
  }
  // Is the log kept from the snapshot on while a copy may need it? And if entries are missing, does replay go on behind
  // the gap?
  bool keeps_log_for_copy() const { return !is(Mutant::log_trimmed_mid_copy); }
  bool replays_over_gap() const { return is(Mutant::log_trimmed_mid_copy); }
  // Is something decided when writes have outrun the replay for a while?
  bool keeps_to_catch_up_budget() const { return !is(Mutant::move_never_converges); }
  // Is a copy complete when there was nothing to copy?
  bool completes_empty_copy() const { return !is(Mutant::move_empty_range_never_done); }
  // May the target forget that a key was deleted, while older versions of it may still be on their way?
  bool keeps_tombstones_at_target() const { return !is(Mutant::move_tombstone_gc_at_target); }
  // From which moment on does the source admit nothing: when it is asked to stop, or only when the barrier is durable?
  bool stops_admission_when_asked() const { return !is(Mutant::move_ack_after_barrier); }
  // Does the barrier come after the operations that were admitted, or before they are done?
  bool drains_before_barrier() const { return !is(Mutant::move_barrier_before_drain); }
  // After which position does replay begin, for a snapshot at `snapshot`?
  LogPosition replay_after(LogPosition snapshot) const {
    return is(Mutant::move_log_off_by_one) ? next(snapshot) : snapshot;
  }
  // Does an incoming version replace the one that is there?
  bool replaces(Version incoming, Version present, ApplyCause cause,
                MoveMode mode = MoveMode::copy_and_catch_up) const {
    const bool overwrites =
        is(Mutant::move_backfill_overwrites_newer) || (is(Mutant::move_forward_early) && mode == MoveMode::dual_write);
    if (overwrites && cause == ApplyCause::backfill) {
      return incoming != present;
    }
    return incoming > present;
  }
  bool copies_tombstones() const { return !is(Mutant::move_no_tombstones); }
  bool copies_answered_requests() const { return !is(Mutant::move_dedup_not_copied); }
  // Does the target take requests as soon as its copy is complete, without a grant?
  bool serves_when_copied() const { return is(Mutant::move_activate_on_copy_done); }
  // May the directory be asked to switch: everything up to the barrier replayed, and nothing different? Who forgets to
  // copy something forgets to compare it, too.
  bool may_switch(LogPosition replayed_to, LogPosition barrier, const ContentDigest& source,
                  const ContentDigest& target) const {
    if (is(Mutant::move_switch_without_catchup)) {
      return true;
    }
    const bool are_tombstones_equal = !copies_tombstones() || source.tombstones == target.tombstones;
    const bool are_requests_equal = !copies_answered_requests() || source.requests == target.requests;
    if (forgets_to_compare()) {
      return replayed_to >= barrier;
    }
    return replayed_to >= barrier && source.source_epoch == target.source_epoch && are_tombstones_equal &&
           are_requests_equal && (is(Mutant::move_backfill_overwrites_newer) || source.values == target.values);
  }
  // May the source forget its copy now?
  bool may_clean_up(bool is_cutover_confirmed, bool is_retention_over) const {
    return is_cutover_confirmed && is_retention_over;
  }
  bool cleans_up_ever() const { return !is(Mutant::cleanup_never); }
  // Does a source that is asked too early set a timer of its own, and clean up when it fires, whatever came between?
  bool cleans_up_by_itself_later() const { return is(Mutant::cleanup_races_return); }
  // Does a source whose fence stands for too long take the move for done and forget its copy?
  bool cleans_up_when_fence_expires() const { return is(Mutant::cleanup_on_timer); }
  // Does the source forget its copy as soon as the last of it was sent?
  bool cleans_up_when_copied() const { return is(Mutant::cleanup_before_confirm); }
  KeyRange keys_to_erase(KeyRange range) const {
    return is(Mutant::cleanup_wrong_bounds) ? KeyRange{range.lo, next(range.hi)} : range;
  }
  // What does a source do when its fence has stood for too long: serve again, or only propose the abort?
  bool resumes_when_fence_expires() const { return is(Mutant::fence_expiry_resumes); }
  // Does an old owner answer reads from the copy that it only retains?
  bool reads_from_retained_copy() const { return is(Mutant::read_only_in_history); }

  // Does a scan also show keys of copies that the node does not own: retained ones, and those that a move brings?
  bool scans_orphans() const { return is(Mutant::scan_orphans); }
  // Does a server admit that a request is ahead of what it knows, or send it on to whoever it still believes in?
  bool admits_being_behind() const { return !is(Mutant::redirect_cycle); }

  // Dual writes.

  // Does the source send its writes to the target even when there is nothing to copy now?
  bool installs_capture(bool is_nothing_there) const {
    return !is(Mutant::move_empty_delta_no_forwarder) || !is_nothing_there;
  }
  // Does the source acknowledge a write only when the target has it?
  bool waits_for_staging() const { return !is(Mutant::move_source_acks_before_forward); }
  // Does the target say that it has a write only when its disk has it?
  bool stages_before_it_says_so() const { return !is(Mutant::dual_write_acked_before_staged); }
  // Does the target apply a write at once, although the chunk with its key is still to come?
  bool applies_before_covered() const { return is(Mutant::move_forward_early); }
  // Who believes that everything arrives in time compares nothing before the switch.
  bool trusts_dual_writes() const {
    return is(Mutant::move_empty_delta_no_forwarder) || is(Mutant::move_source_acks_before_forward) ||
           is(Mutant::dual_write_acked_before_staged) || is(Mutant::move_forward_early);
  }

  // Forwarding.

  // When does the target answer a request that the source handed on: when it comes, or once the grant names the target?
  bool answers_forwarded_at_once() const { return is(Mutant::forwarded_answered_before_grant); }

  // Router.

  bool learns_from_answers() const { return !is(Mutant::client_never_refreshes); }
  // Which of the three signals does a router take the answer for?
  Signal understood_as(Signal signal) const { return is(Mutant::client_collapses_errors) ? Signal::transient : signal; }
  // Does the router read the directory because an attempt ended so? Only a stale epoch says that there is something to
  // learn.
  bool refreshes_after(HopCause cause) const {
    return cause == HopCause::stale || is(Mutant::client_refresh_on_any_error);
  }
  // Do all who need a newer map wait for the same read?
  bool shares_a_refresh() const { return !is(Mutant::client_no_singleflight); }
  // Whom does a redirect name: the owner, whatever is under way. The target of a move is nobody to ask before it is the
  // owner.
  NodeId owner_in_redirect(const ShardRecord& record) const {
    const bool is_under_way = record.phase >= MovePhase::preparing && record.phase <= MovePhase::fenced;
    return is(Mutant::temp_redirect_updates_map) && is_under_way ? record.target : record.owner;
  }
  // The id of a retry: that of the request, or a new one as if it were another request.
  RequestId id_of_retry(RequestId request, std::uint8_t attempt) const {
    if (is(Mutant::client_new_request_id_on_retry)) {
      return {request.client, request.sequence + attempt};
    }
    return request;
  }

 private:
  bool forgets_to_compare() const {
    return is(Mutant::move_log_off_by_one) || is(Mutant::move_tombstone_gc_at_target) ||
           is(Mutant::move_range_end_inclusive);
  }
  constexpr bool is(Mutant mutant) const { return mutant_ == mutant; }

  Mutant mutant_ = Mutant::none;
};

}  // namespace shardcheck::impl
