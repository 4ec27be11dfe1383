#include "impl/directory_link.h"

#include <algorithm>

namespace shardcheck::impl {
namespace {

// While an election is under way, members may send one another's askers round: so often is enough.
constexpr Duration kBetweenTurns = milliseconds(3);

bool is_over(std::optional<Instant> since, Duration wait, Instant now) { return !since || now - *since >= wait; }

}  // namespace

DirectoryLink::DirectoryLink(const ClusterOptions& options, Instant now, std::uint16_t first)
    : directories_(options.directories),
      patience_(options.directory_patience),
      decisions_(options.mutant),
      now_(now),
      presumed_(static_cast<std::uint16_t>(first % options.directories)) {}

void DirectoryLink::begin(const ClusterInput& input, Instant now) {
  now_ = now;
  const auto* received = std::get_if<Received<Message>>(&input);
  if (received != nullptr && received->from == presumed_) {
    asked_at_.reset();
  }
}

void DirectoryLink::send(const Message& message, ClusterOutputs& outputs) {
  if (asked_at_ && is_over(asked_at_, patience_, now_)) {
    rotate();
  }
  if (!asked_at_) {
    asked_at_ = now_;
  }
  outputs.send(presumed_, message);
}

void DirectoryLink::poll(DirectoryPosition needed, ClusterOutputs& outputs) { send(Poll{known_, needed}, outputs); }

bool DirectoryLink::turned_away(NodeId member, const NotLeader& it) {
  if (member != presumed_) {
    return false;  // of a member that was given up before
  }
  const bool is_known = it.leader.value < directories_ && it.leader != member;
  if (is_known) {
    presumed_ = it.leader;
  } else {
    rotate();
  }
  const bool asks_at_once = is_known && is_over(turned_away_at_, kBetweenTurns, now_);
  turned_away_at_ = now_;
  return asks_at_once;
}

bool DirectoryLink::take_in(const RecordUpdate& update) {
  const bool is_next_of_answer = update.until == answer_until_ && update.follows == answered_;
  const bool is_missing = update.follows > known_ && !is_next_of_answer;
  if (is_missing && decisions_.catches_up_on_missed_changes()) {
    return false;
  }
  if (update.changed_at == update.until || is_missing) {
    known_ = std::max(known_, update.changed_at);
    return true;
  }
  answered_ = update.until == answer_until_ ? std::max(answered_, update.changed_at) : update.changed_at;
  answer_until_ = update.until;
  return true;
}

void DirectoryLink::catch_up(ClusterOutputs& outputs) {
  if (is_over(caught_up_at_, patience_, now_)) {
    caught_up_at_ = now_;
    poll({}, outputs);
  }
}

void DirectoryLink::rotate() {
  presumed_ = NodeId{static_cast<std::uint16_t>((presumed_.value + 1) % directories_)};
  asked_at_.reset();
}

}  // namespace shardcheck::impl
