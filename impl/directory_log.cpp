#include "impl/directory_log.h"

#include <algorithm>
#include <utility>

#include "impl/overloaded.h"
#include "spec/assert.h"

namespace shardcheck::impl {

DirectoryLog::DirectoryLog(const ClusterOptions& options, NodeId self)
    : options_(options), decisions_(options.mutant), self_(self) {
  SHARDCHECK_ASSERT(options.directories <= kDirectoriesMax);
}

void DirectoryLog::start(LogSnapshot initial, std::span<const Record> durable, Instant now, ClusterOutputs& outputs) {
  *this = DirectoryLog(options_, self_);
  snapshot_ = std::move(initial);
  recover(durable);
  committed_ = snapshot_.position;
  // The first leader of a new directory need not wait, and a single member waits for nobody.
  const bool is_first = term_ == Term{} && self_ == NodeId{0};
  if (is_first || options_.directories == 1) {
    stand(now, outputs);
  }
  wait_for_leader(now, outputs);
}

void DirectoryLog::recover(std::span<const Record> durable) {
  appended_ = durable_ = durable.size();
  for (const Record& record : durable) {
    if (const auto* voted = std::get_if<Voted>(&record)) {
      term_ = voted->term;
      vote_ = voted->vote;
    } else if (const auto* kept = std::get_if<EntryKept>(&record)) {
      // An entry that differed from the leader's was taken back, and with it everything after it.
      const std::uint64_t index = kept->position.value - snapshot_.position.value - 1;
      SHARDCHECK_ASSERT(index <= entries_.size());
      entries_.resize(index);
      entries_.push_back(kept->entry);
    } else if (const auto* part = std::get_if<SnapshotKept>(&record)) {
      restore(*part);
    }
  }
  arriving_ = {};
}

// Only a whole snapshot counts; of one that was being written in a crash, the beginning may be there.
void DirectoryLog::restore(const SnapshotKept& kept) {
  if (kept.index == 0) {
    arriving_ = {kept.position, kept.term, {}};
  }
  arriving_.parts.push_back(kept.part);
  if (arriving_.parts.size() == kept.count) {
    install(std::exchange(arriving_, {}));
  }
}

void DirectoryLog::keep(const Record& record, ClusterOutputs& outputs) {
  outputs.append(record);
  outputs.wants_sync = true;
  ++appended_;
}

void DirectoryLog::once_durable(Pending pending, Instant now, ClusterOutputs& outputs) {
  pending_.add(appended_, std::move(pending));
  release(now, outputs);
}

void DirectoryLog::release(Instant now, ClusterOutputs& outputs) {
  while (pending_.has_ready(durable_)) {
    std::visit(Overloaded{
                   [&](const Send& it) { outputs.send(it.to, it.message); },
                   [&](const OwnVote& it) {
                     if (role_ == Role::candidate && term_ == it.term) {
                       ask_for_votes(term_, false, outputs);
                       count_vote(self_, now, outputs);
                     }
                   },
                   [&](const OwnEntries& it) {
                     if (role_ == Role::leader && term_ == it.term) {
                       own_durable_to_ = std::max(own_durable_to_, it.position);
                       advance_commit();
                     }
                   },
               },
               pending_.take());
  }
}

void DirectoryLog::on_synced(std::uint64_t count, Instant now, ClusterOutputs& outputs) {
  durable_ = count;
  release(now, outputs);
}

const LogEntry& DirectoryLog::entry(DirectoryPosition position) const {
  SHARDCHECK_ASSERT(position > snapshot_.position);
  SHARDCHECK_ASSERT(position <= last());
  return entries_[position.value - snapshot_.position.value - 1];
}

Term DirectoryLog::term_at(DirectoryPosition position) const {
  return position == snapshot_.position ? snapshot_.term : entry(position).term;
}

DirectoryPosition DirectoryLog::propose(const Command& command, Instant now, ClusterOutputs& outputs) {
  SHARDCHECK_ASSERT(is_leader());
  const DirectoryPosition position = next(last());
  entries_.push_back({term_, command});
  keep(EntryKept{position, entries_.back()}, outputs);
  once_durable(OwnEntries{term_, position}, now, outputs);
  for (std::uint16_t i = 0; i < options_.directories; ++i) {
    if (NodeId{i} != self_ && !peers_[i].is_waited_for) {
      send_entries(NodeId{i}, now, outputs);
    }
  }
  return position;
}

bool DirectoryLog::is_long(DirectoryPosition applied) const {
  return applied.value - snapshot_.position.value >= options_.log_entries_max;
}

void DirectoryLog::compact(DirectoryPosition applied, std::vector<StatePart> parts, ClusterOutputs& outputs) {
  SHARDCHECK_ASSERT(applied <= committed_);
  install({applied, term_at(applied), std::move(parts)});
  keep_snapshot(outputs);
}

void DirectoryLog::keep_snapshot(ClusterOutputs& outputs) {
  const auto count = static_cast<std::uint16_t>(snapshot_.parts.size());
  for (std::uint16_t i = 0; i < count; ++i) {
    keep(SnapshotKept{snapshot_.position, snapshot_.term, i, count, snapshot_.parts[i]}, outputs);
  }
}

// Entries after the snapshot are kept if they go on from it.
void DirectoryLog::install(LogSnapshot snapshot) {
  const bool goes_on = snapshot.position <= last() && term_at(snapshot.position) == snapshot.term;
  const std::uint64_t covered = goes_on ? snapshot.position.value - snapshot_.position.value : entries_.size();
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(covered));
  snapshot_ = std::move(snapshot);
  committed_ = std::max(committed_, snapshot_.position);
}

bool DirectoryLog::receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs) {
  if (!is_member(from)) {
    return false;
  }
  if (const auto* append = std::get_if<Append>(&message)) {
    on_append(from, *append, now, outputs);
  } else if (const auto* appended = std::get_if<Appended>(&message)) {
    on_appended(from, *appended, now, outputs);
  } else if (const auto* request = std::get_if<VoteRequest>(&message)) {
    on_vote_request(from, *request, now, outputs);
  } else if (const auto* vote = std::get_if<Vote>(&message)) {
    on_vote(from, *vote, now, outputs);
  } else if (const auto* part = std::get_if<SnapshotMessage>(&message)) {
    on_snapshot(from, *part, now, outputs);
  } else {
    return false;
  }
  return true;
}

// Whoever was sent nothing for a while is sent what it lacks, or nothing but the sign that the leader lives.
void DirectoryLog::beat(Instant now, ClusterOutputs& outputs) {
  for (std::uint16_t i = 0; i < options_.directories; ++i) {
    if (NodeId{i} != self_ && now >= peers_[i].sent_at + options_.heartbeat_interval / 2) {
      send_entries(NodeId{i}, now, outputs);
    }
  }
  has_beat_timer_ = true;
  outputs.wake_at(now + options_.heartbeat_interval, kBeat);
}

// One message at a time waits for its answer, so what is proposed meanwhile goes out together. Nothing advances before
// the answer: what was lost is sent again by the next beat.
void DirectoryLog::send_entries(NodeId to, Instant now, ClusterOutputs& outputs) {
  Peer& it = peer(to);
  it.sent_at = now;
  if (it.goes_on_after < snapshot_.position) {
    it.is_waited_for = true;
    send_snapshot(to, outputs);
    return;
  }
  Append append;
  append.term = term_;
  append.previous = it.goes_on_after;
  append.previous_term = term_at(append.previous);
  append.committed = committed_;
  append.count =
      static_cast<std::uint8_t>(std::min<std::uint64_t>(last().value - append.previous.value, kLogEntriesPerMessage));
  for (std::uint64_t i = 0; i < append.count; ++i) {
    append.entries[i] = entry(DirectoryPosition{append.previous.value + 1 + i});
  }
  it.is_waited_for = append.count > 0;
  outputs.send(to, append);
}

void DirectoryLog::send_snapshot(NodeId to, ClusterOutputs& outputs) const {
  SnapshotMessage part;
  part.term = term_;
  part.position = snapshot_.position;
  part.position_term = snapshot_.term;
  part.parts_total = static_cast<std::uint16_t>(snapshot_.parts.size());
  for (std::size_t begin = 0; begin < snapshot_.parts.size(); begin += kStatePartsPerMessage) {
    part.begin = static_cast<std::uint16_t>(begin);
    part.count = static_cast<std::uint8_t>(std::min(snapshot_.parts.size() - begin, kStatePartsPerMessage));
    std::copy_n(snapshot_.parts.begin() + static_cast<std::ptrdiff_t>(begin), part.count, part.parts.begin());
    outputs.send(to, part);
  }
}

void DirectoryLog::on_append(NodeId from, const Append& it, Instant now, ClusterOutputs& outputs) {
  Appended answer{term_, false, committed_};
  if (it.term >= term_) {
    follow(from, it.term, now, outputs);
    const bool is_known = it.previous <= last();
    const bool fits = it.previous < snapshot_.position || (is_known && term_at(it.previous) == it.previous_term);
    if (fits && !take_entries(it, outputs)) {
      return;
    }
    const DirectoryPosition same_to{it.previous.value + it.count};
    answer = {term_, fits, fits ? same_to : committed_};
    if (fits) {
      committed_ = std::max(committed_, std::min(it.committed, same_to));
    }
  }
  once_durable(Send{from, answer}, now, outputs);
}

// An entry that differs from the leader's was never committed, and goes with everything after it. False: it was
// committed, so this is no leader that the protocol brings about.
bool DirectoryLog::take_entries(const Append& it, ClusterOutputs& outputs) {
  for (std::uint64_t i = 0; i < it.count; ++i) {
    const DirectoryPosition position{it.previous.value + 1 + i};
    const bool is_there = position <= last();
    if (position <= snapshot_.position || (is_there && term_at(position) == it.entries[i].term)) {
      continue;
    }
    if (position <= committed_) {
      return false;
    }
    entries_.resize(position.value - snapshot_.position.value - 1);
    entries_.push_back(it.entries[i]);
    keep(EntryKept{position, it.entries[i]}, outputs);
  }
  return true;
}

// The messages of a snapshot count in order and without a gap; otherwise the leader sends it again.
void DirectoryLog::on_snapshot(NodeId from, const SnapshotMessage& it, Instant now, ClusterOutputs& outputs) {
  if (it.term < term_) {
    once_durable(Send{from, Appended{term_, false, committed_}}, now, outputs);
    return;
  }
  follow(from, it.term, now, outputs);
  if (it.begin == 0) {
    arriving_ = {it.position, it.position_term, {}};
  }
  if (it.position != arriving_.position || it.begin != arriving_.parts.size()) {
    return;
  }
  arriving_.parts.insert(arriving_.parts.end(), it.parts.begin(), it.parts.begin() + it.count);
  if (arriving_.parts.size() < it.parts_total) {
    return;
  }
  if (it.position > committed_) {
    install(std::exchange(arriving_, {}));
    keep_snapshot(outputs);
  }
  once_durable(Send{from, Appended{term_, true, it.position}}, now, outputs);
}

void DirectoryLog::on_appended(NodeId from, const Appended& it, Instant now, ClusterOutputs& outputs) {
  if (it.term > term_) {
    adopt(it.term, now, outputs);
    return;
  }
  if (!is_leader() || it.term < term_) {
    return;
  }
  Peer& them = peer(from);
  them.heard_at = now;
  them.is_waited_for = false;
  if (it.is_accepted) {
    them.durable_to = std::max(them.durable_to, it.position);
    advance_commit();
  }
  // Whoever counts more as committed than the leader has comes from a mutant that lost committed entries.
  const DirectoryPosition refused_after = std::min(it.position, last());
  them.goes_on_after = std::max(it.is_accepted ? them.goes_on_after : refused_after, them.durable_to);
  if (!it.is_accepted || them.goes_on_after < last()) {
    send_entries(from, now, outputs);
  }
}

void DirectoryLog::advance_commit() {
  std::array<DirectoryPosition, kDirectoriesMax> durable{};
  for (std::uint16_t i = 0; i < options_.directories; ++i) {
    durable[i] = NodeId{i} == self_ ? own_durable_to_ : peers_[i].durable_to;
  }
  const std::uint16_t needed = decisions_.acknowledgements_needed(options_.directories);
  std::ranges::sort(durable, std::ranges::greater{});
  const DirectoryPosition acknowledged = durable[needed - 1U];
  if (acknowledged > committed_ && term_at(acknowledged) == term_) {
    committed_ = acknowledged;
  }
}

}  // namespace shardcheck::impl
