// What a router knows of who owns what, and how it learns more: by polling, by watching, by the records that come with
// signals, and by the reads that operations wait for.
#include <algorithm>

#include "impl/router.h"

namespace shardcheck::impl {

void Router::on_update(const RecordUpdate& update, Instant now, ClusterOutputs& outputs) {
  const bool is_known = map_[update.record.shard.value].changed_at != DirectoryPosition{};
  if (decisions_.learns_from_answers() || !is_known) {
    learn(update.record, update.changed_at, outputs);
    if (update.sibling.exists()) {
      learn(update.sibling.record, update.changed_at, outputs);
    }
  }
  if (!link_.take_in(update) && kind_ == RouterKind::routing_tier) {
    link_.catch_up(outputs);
  }
  KeyRange learnt = update.record.range;
  if (update.sibling.exists()) {
    learnt.lo = std::min(learnt.lo, update.sibling.record.range.lo);
    learnt.hi = std::max(learnt.hi, update.sibling.record.range.hi);
  }
  resume_waiting(learnt, now, outputs);
}

void Router::on_looked_up(const LookupResult& result, Instant now, ClusterOutputs& outputs) {
  lookup_.take_in(result, link_, outputs);
  if (!result.is_crossed) {
    on_update(result.found, now, outputs);
  }
}

// Whoever has nobody to ask at once asks another member when its own time is up.
void Router::on_turned_away(NodeId member, const NotLeader& it, ClusterOutputs& outputs) {
  if (!link_.turned_away(member, it)) {
    return;
  }
  if (has_map()) {
    link_.poll(refresh_ ? DirectoryPosition{refresh_->needed.value} : DirectoryPosition{}, outputs);
    return;
  }
  if (refresh_) {
    read_directory(refresh_->key, refresh_->needed, outputs);
  }
  for (const auto& slot : clients_) {
    if (slot && slot->state == State::waiting_for_map && slot->cause == HopCause::first) {
      read_directory(slot->asked.operation.key, Epoch{}, outputs);
    }
  }
}

// A newer record replaces an older one, never the other way round.
void Router::learn(const ShardRecord& record, DirectoryPosition changed_at, ClusterOutputs& outputs) {
  Known& known = map_[record.shard.value];
  if (changed_at <= known.changed_at) {
    return;
  }
  remember_parted(known, record.range);
  known = {record, changed_at};
  for (const Known& it : map_) {
    close_parted(it);
  }
  tell_learned(known, outputs);
}

// Of one half of a split a signal may tell without the other half. Forgetting who had the other one's keys would let an
// even older record come back for them: [0, 8) was split at 4, then [4, 8) at 6, and who hears of [4, 6) alone must not
// believe of key 7 what [0, 8) says.
void Router::remember_parted(const Known& before, KeyRange after) {
  const KeyRange had = before.record.range;
  const Key lo = std::clamp(after.lo, had.lo, had.hi);
  const Key hi = std::clamp(after.hi, lo, had.hi);
  for (const KeyRange part : {KeyRange{had.lo, lo}, KeyRange{hi, had.hi}}) {
    if (!part.is_empty()) {
      parted_.push_back({part, before.changed_at});
    }
  }
}

// They are the gaps between records, so there are no more of them than of these.
void Router::close_parted(const Known& known) {
  if (parted_.empty()) {
    return;
  }
  const KeyRange covered = known.record.range;
  std::vector<Parted> left;
  for (const Parted& it : parted_) {
    if (it.known_at >= known.changed_at || !it.keys.overlaps(covered)) {
      left.push_back(it);
      continue;
    }
    if (it.keys.lo < covered.lo) {
      left.push_back({{it.keys.lo, covered.lo}, it.known_at});
    }
    if (covered.hi < it.keys.hi) {
      left.push_back({{covered.hi, it.keys.hi}, it.known_at});
    }
  }
  parted_ = std::move(left);
}

// Of the record only what is not known from newer ones, piece by piece, is ever followed.
void Router::tell_learned(const Known& known, ClusterOutputs& outputs) const {
  const KeyRange range = known.record.range;
  Key lo = range.lo;
  while (lo < range.hi) {
    KeyRange piece{lo, range.hi};
    const auto leave_out = [&](KeyRange other, DirectoryPosition known_at) {
      if (known_at <= known.changed_at || !other.overlaps(piece)) {
        return;
      }
      if (other.contains(lo)) {
        piece = {lo, lo};
        lo = other.hi;
      } else {
        piece.hi = std::min(piece.hi, other.lo);
      }
    };
    for (const Known& newer : map_) {
      leave_out(newer.record.range, newer.changed_at);
    }
    for (const Parted& newer : parted_) {
      leave_out(newer.keys, newer.known_at);
    }
    if (!piece.is_empty()) {
      outputs.observe(RouterLearned{piece, known.record.owner, known.record.epoch, known.changed_at});
      lo = piece.hi;
    }
  }
}

// Where records overlap, because a split or a merge is known in part only, the one that changed last is right.
const Router::Known* Router::find(Key key) const {
  const Known* found = nullptr;
  for (const Known& known : map_) {
    if (known.record.range.contains(key) && (found == nullptr || found->changed_at < known.changed_at)) {
      found = &known;
    }
  }
  const auto is_newer = [&](const Parted& it) { return it.keys.contains(key) && it.known_at > found->changed_at; };
  return found != nullptr && std::ranges::any_of(parted_, is_newer) ? nullptr : found;
}

void Router::wait_for_map(Outstanding& it, HopCause cause, Epoch needed, Instant now, ClusterOutputs& outputs) {
  it.state = State::waiting_for_map;
  it.cause = cause;
  it.needed = needed;
  it.deadline = now + options_.attempt_timeout;
  wake(it, outputs);
  if (cause != HopCause::first) {
    refresh(it, now, outputs);
    return;
  }
  outputs.observe(RefreshStarted{cause, Epoch{}});
  read_directory(it.asked.operation.key, Epoch{}, outputs);
}

// Who follows the directory reads what it missed; others read the one record.
void Router::read_directory(Key key, Epoch needed, ClusterOutputs& outputs) {
  const DirectoryPosition granted_at{needed.value};
  if (has_map()) {
    link_.poll(granted_at, outputs);
  } else {
    lookup_.ask(key, granted_at, link_, outputs);
  }
}

// All who need a newer map share one read. Who needs a newer grant than it was begun for, or another key than it asks
// for, may find that it was not enough, and begins the next one when it has ended.
void Router::refresh(const Outstanding& it, Instant now, ClusterOutputs& outputs) {
  if (refresh_ && now < refresh_->deadline && decisions_.shares_a_refresh()) {
    return;
  }
  if (refresh_ && now >= refresh_->deadline) {
    end_refresh(false, outputs);
  }
  refresh_ = Refresh{it.asked.operation.key, it.needed, now + options_.attempt_timeout};
  outputs.observe(RefreshStarted{it.cause, it.needed});
  read_directory(refresh_->key, refresh_->needed, outputs);
}

// Something was learnt about `range`: whoever waits for no more than that goes on.
void Router::resume_waiting(const KeyRange& range, Instant now, ClusterOutputs& outputs) {
  for (auto& slot : clients_) {
    if (!slot || slot->state != State::waiting_for_map || !range.contains(slot->asked.operation.key)) {
      continue;
    }
    const Known* known = find(slot->asked.operation.key);
    if (known != nullptr && known->record.epoch >= slot->needed) {
      try_again(*slot, slot->cause, now, outputs);
    }
  }
  end_refresh_if_answered(now, outputs);
}

void Router::end_refresh_if_answered(Instant now, ClusterOutputs& outputs) {
  if (!refresh_ || now >= refresh_->deadline) {
    return;
  }
  const Known* asked_for = find(refresh_->key);
  if (asked_for == nullptr || asked_for->record.epoch < refresh_->needed) {
    return;
  }
  Outstanding* next = nullptr;
  for (auto& slot : clients_) {
    if (!slot || slot->state != State::waiting_for_map || slot->cause == HopCause::first) {
      continue;
    }
    const bool is_read = has_map() || slot->asked.operation.key == refresh_->key;
    if (is_read && slot->needed <= refresh_->needed) {
      return;  // its answer, or a part of it, is still to come
    }
    next = next == nullptr || slot->needed < next->needed ? &*slot : next;
  }
  end_refresh(true, outputs);
  if (next != nullptr) {
    refresh(*next, now, outputs);
  }
}

void Router::end_refresh(bool is_answered, ClusterOutputs& outputs) {
  refresh_.reset();
  outputs.observe(RefreshEnded{is_answered});
}

}  // namespace shardcheck::impl
