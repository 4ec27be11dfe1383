#include "impl/directory_client.h"

#include "impl/overloaded.h"

namespace shardcheck::impl {
namespace {

constexpr TimerToken kDeadline{1};
constexpr std::uint8_t kAttemptsMax = 16;

}  // namespace

void DirectoryClient::handle(const ClusterInput& input, Instant now, ClusterOutputs& outputs) {
  link_.begin(input, now);
  std::visit(Overloaded{
                 [&](const Started<Record>&) {
                   asked_.reset();
                   timers_ = CountedTimers{};
                   link_ = DirectoryLink(options_, now, self_.value);
                 },
                 [&](const Received<Message>& received) { receive(received.from, received.message, now, outputs); },
                 [&](const TimerFired& fired) {
                   if (!asked_) {
                     timers_.fired();
                   } else if (timers_.is_due(deadline_, fired.token, now, outputs)) {
                     ask(now, outputs);
                   }
                 },
                 [](const Synced&) {},
             },
             input);
}

void DirectoryClient::receive(NodeId from, const Message& message, Instant now, ClusterOutputs& outputs) {
  if (const auto* request = std::get_if<ClientRequest>(&message)) {
    asked_ = *request;
    attempts_ = 0;
    ask(now, outputs);
  } else if (const auto* reply = std::get_if<SettingReply>(&message); reply != nullptr && asked_) {
    if (reply->request == asked_->request) {
      outputs.send(kNoNode, ClientReply{reply->request, reply->outcome, false, attempts_ > 1});
      asked_.reset();
    }
  } else if (const auto* turned_away = std::get_if<NotLeader>(&message)) {
    if (link_.turned_away(from, *turned_away) && asked_) {
      ask(now, outputs);
    }
  }
}

void DirectoryClient::ask(Instant now, ClusterOutputs& outputs) {
  if (attempts_++ >= kAttemptsMax) {
    outputs.send(kNoNode, ClientReply{asked_->request, Outcome{}, true, true});
    asked_.reset();
    return;
  }
  link_.send(SettingRequest{asked_->request, asked_->operation}, outputs);
  deadline_ = now + options_.directory_patience;
  timers_.set(deadline_, kDeadline, outputs);
}

}  // namespace shardcheck::impl
