// For tests: the members of a directory, driven by hand. Messages between them wait until they are delivered, disks
// sync when that is done, and time stands still unless the test moves it. A member can be cut off (what is sent to it
// or by it is lost) and restarted from its disk. What is sent to anybody else is kept as answers.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "impl/directory_node.h"
#include "impl/driven.h"

namespace shardcheck::impl {

class DrivenMembers {
 public:
  explicit DrivenMembers(const ClusterOptions& options) : options_(options) {
    for (std::uint16_t i = 0; i < options.directories; ++i) {
      members_.push_back({Driven<DirectoryNode>(DirectoryNode(options, NodeId{i})), false});
      take_sends(NodeId{i});
    }
  }

  // Syncs and delivers until nothing is left to do.
  DrivenMembers& settle() {
    bool is_busy = true;
    while (is_busy) {
      is_busy = false;
      for (std::uint16_t i = 0; i < members_.size(); ++i) {
        if (at(i).wants_sync()) {
          at(i).sync();
          take_sends(NodeId{i});
          is_busy = true;
        }
      }
      while (!on_the_way_.empty()) {
        const Envelope envelope = on_the_way_.front();
        on_the_way_.pop_front();
        receive(envelope.to.value, envelope.from, envelope.message);
        is_busy = true;
      }
    }
    return *this;
  }
  DrivenMembers& wait(std::int64_t ms) {
    now_ms_ += ms;
    return *this;
  }
  // The member looks whether it has waited long enough for a leader.
  DrivenMembers& time_out(std::uint16_t member) { return fire(member, kElectionTimer).settle(); }
  // The same when everybody has.
  DrivenMembers& elect(std::uint16_t member) { return wait(200).time_out(member); }
  DrivenMembers& beat(std::uint16_t leader) {
    wait(15);
    return fire(leader, kBeatTimer).settle();
  }
  DrivenMembers& cut_off(std::uint16_t member) {
    members_[member].is_cut_off = true;
    return *this;
  }
  DrivenMembers& rejoin(std::uint16_t member) {
    members_[member].is_cut_off = false;
    return *this;
  }
  DrivenMembers& restart(std::uint16_t member) {
    at(member).restart();
    take_sends(NodeId{member});
    return *this;
  }
  DrivenMembers& ask(std::uint16_t member, NodeId from, const Message& message) {
    answers_.clear();
    receive(member, from, message);
    return settle();
  }

  // By its clock, which is right.
  Driven<DirectoryNode>& at(std::uint16_t member) {
    members_[member].driven.at(now_ms_);
    return members_[member].driven;
  }
  DirectoryNode& node(std::uint16_t member) { return at(member).node(); }
  const std::vector<std::string>& answers() const { return answers_; }
  std::vector<std::uint16_t> leaders() {
    std::vector<std::uint16_t> found;
    for (std::uint16_t i = 0; i < members_.size(); ++i) {
      if (node(i).log().is_leader()) {
        found.push_back(i);
      }
    }
    return found;
  }
  // The log of a member after its snapshot: "3 of term 1: begin_term" and so on.
  std::vector<std::string> log(std::uint16_t member) {
    const DirectoryLog& log = node(member).log();
    std::vector<std::string> lines;
    for (DirectoryPosition it = next(log.snapshot().position); it <= log.last(); it = next(it)) {
      const LogEntry& entry = log.entry(it);
      lines.push_back(
          fmt::format("{} of term {}: {}", it.value, entry.term.value, name_of_kind(kind_of(Message(entry.command)))));
    }
    return lines;
  }

 private:
  static constexpr std::uint32_t kElectionTimer = 1;
  static constexpr std::uint32_t kBeatTimer = 2;
  struct Member {
    Driven<DirectoryNode> driven;
    bool is_cut_off;
  };
  struct Envelope {
    NodeId from;
    NodeId to;
    Message message;
  };

  void receive(std::uint16_t member, NodeId from, const Message& message) {
    at(member).receive(from, message);
    take_sends(NodeId{member});
  }
  DrivenMembers& fire(std::uint16_t member, std::uint32_t timer) {
    at(member).fire(timer);
    take_sends(NodeId{member});
    return *this;
  }
  // Driven keeps what was sent until its next input, syncs apart: only what is new since then is taken.
  void take_sends(NodeId member) {
    for (const auto& [to, message] : members_[member.value].driven.take_sends()) {
      if (to.value >= members_.size()) {
        answers_.push_back(fmt::format("{} to {}: {}", member.value, to.value, to_string(message)));
      } else if (!members_[to.value].is_cut_off && !members_[member.value].is_cut_off) {
        on_the_way_.push_back({member, to, message});
      }
    }
  }

  ClusterOptions options_;
  std::vector<Member> members_;
  std::deque<Envelope> on_the_way_;
  std::vector<std::string> answers_;
  std::int64_t now_ms_ = 0;
};

}  // namespace shardcheck::impl
