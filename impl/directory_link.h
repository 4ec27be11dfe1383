// How everyone else reaches the directory: asks the member presumed to lead, turns to another one when it is silent or
// says that it does not lead, and keeps account of how far the own knowledge goes.
//
//   link_.begin(input, now);          // first, at every input of the process
//   link_.send(command, outputs);
//   link_.poll({}, outputs);
//
// Nothing is sent twice by the link itself: whoever asks has a timer of its own and asks again.
#pragma once

#include <cstdint>
#include <optional>

#include "impl/decisions.h"
#include "impl/options.h"
#include "impl/records.h"

namespace shardcheck::impl {

class DirectoryLink {
 public:
  DirectoryLink() = default;
  // Of a process that starts now; `first` is the member to ask first.
  DirectoryLink(const ClusterOptions& options, Instant now, std::uint16_t first = 0);

  void begin(const ClusterInput& input, Instant now);

  void send(const Message& message, ClusterOutputs& outputs);
  // Asks for what changed after known(), of a member that has acted on everything up to `needed`.
  void poll(DirectoryPosition needed, ClusterOutputs& outputs);
  // The presumed leader turned the process away. True: another member is known to lead, so ask again at once.
  bool turned_away(NodeId member, const NotLeader& it);

  // A record arrived, in answer to a poll or by watch. False: one before it was missed, which only a poll brings.
  bool take_in(const RecordUpdate& update);
  // Polls for what was missed; not again while the answer may be on its way.
  void catch_up(ClusterOutputs& outputs);
  // Every change that the directory decided up to here is known.
  DirectoryPosition known() const { return known_; }

 private:
  void rotate();

  std::uint16_t directories_ = 1;
  Duration patience_;
  Decisions decisions_;
  Instant now_;
  NodeId presumed_{0};
  std::optional<Instant> asked_at_;  // and not heard of since
  std::optional<Instant> turned_away_at_;
  std::optional<Instant> caught_up_at_;
  DirectoryPosition known_;
  // The answer of which the first updates have come: where it ends, and how far it has come.
  DirectoryPosition answer_until_;
  DirectoryPosition answered_;
};

}  // namespace shardcheck::impl
