// A cluster of one's own: three nodes, each the only owner of a third of the keys. A client may ask any node; one that
// does not own the key passes the request on. A write is on disk before it is answered, and a record that a crash has
// torn is told from a whole one by its length and a checksum. Bug says which of the two is left out.
//
// Messages are text: "write CLIENT SEQUENCE KEY VALUE", "read ... KEY 0", and "answer CLIENT SEQUENCE VALUE".
#pragma once

#include <fmt/format.h>

#include <deque>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "spec/cluster.h"

using namespace shardcheck;

constexpr std::uint32_t kNodes = 3;
constexpr std::uint32_t kKeysOfNode = 4;
inline NodeId owner_of(std::uint32_t key) { return NodeId{static_cast<std::uint16_t>(key / kKeysOfNode % kNodes)}; }

// One request, and what the disk keeps of a write.
struct Request {
  std::string verb;
  std::uint16_t client = 0;
  std::uint32_t sequence = 0;
  std::uint32_t key = 0;
  std::int64_t value = 0;

  static Request parse(const std::string& bytes) {
    Request request;
    std::istringstream(bytes) >> request.verb >> request.client >> request.sequence >> request.key >> request.value;
    return request;
  }
  std::string answer(std::int64_t value_now) const {
    return fmt::format("answer {} {} {}", client, sequence, value_now);
  }
};

enum class Bug {
  none,
  answers_early,  // before the disk has the write: a crash loses what was acknowledged
  trusts_disk,    // reads whatever is there: a crash in the middle of "... 78" leaves a write of 7
};

// FNV-1a: enough to tell a beginning from the whole.
inline std::uint32_t checksum_of(std::string_view bytes) {
  std::uint32_t sum = 2'166'136'261U;
  for (const char byte : bytes) {
    sum = (sum ^ static_cast<unsigned char>(byte)) * 16'777'619U;
  }
  return sum;
}

// "LENGTH CHECKSUM CONTENT". A length alone would do for a disk that tears; others also return what never was written.
inline std::string to_record(const std::string& content) {
  return fmt::format("{} {} {}", content.size(), checksum_of(content), content);
}
// The content, whole or not, and whether it is whole.
inline std::pair<std::string, bool> from_record(const std::string& record) {
  std::istringstream in(record);
  std::size_t length = 0;
  std::uint32_t checksum = 0;
  std::string content;
  in >> length >> checksum;
  std::getline(in.ignore(), content);
  return {content, content.size() == length && checksum_of(content) == checksum};
}

class MyNode final : public ClusterProcess {
 public:
  MyNode(NodeId self, Bug bug) : self_(self), bug_(bug) {}

  void handle(const ByteInput& input, Instant, ByteOutputs& outputs) override {
    if (const auto* started = std::get_if<Started<std::string>>(&input)) {
      for (const std::string& record : started->durable) {
        const auto [content, is_whole] = from_record(record);
        // Nobody was told of a write whose record is torn; the record stays where it is and is passed over.
        if (is_whole || bug_ == Bug::trusts_disk) {
          apply(Request::parse(content));
        }
      }
      records_ = started->durable.size();
    } else if (const auto* received = std::get_if<Received<std::string>>(&input)) {
      serve(received->message, outputs);
    } else if (const auto* synced = std::get_if<Synced>(&input)) {
      while (!waiting_.empty() && waiting_.front().needs_records <= synced->count) {
        outputs.send(kNoNode, waiting_.front().answer);
        waiting_.pop_front();
      }
    }
  }

 private:
  struct Waiting {
    std::uint64_t needs_records;
    std::string answer;
  };

  void apply(const Request& write) {
    values_[write.key] = write.value;
    last_write_of_[write.client] = write.sequence;
  }

  void serve(const std::string& bytes, ByteOutputs& outputs) {
    const Request request = Request::parse(bytes);
    if (owner_of(request.key) != self_) {
      outputs.send(owner_of(request.key), bytes);
      return;
    }
    if (request.verb == "write") {
      if (request.sequence <= last_write_of_[request.client]) {
        return;  // the network repeats messages between nodes
      }
      apply(request);
      outputs.append(to_record(bytes));
      outputs.wants_sync = true;
      ++records_;
    }
    // A read may have seen a write that is not on disk yet, so it waits as well.
    const std::string answer = request.answer(values_[request.key]);
    if (bug_ == Bug::answers_early || (waiting_.empty() && request.verb == "read")) {
      outputs.send(kNoNode, answer);
    } else {
      waiting_.push_back({records_, answer});
    }
  }

  NodeId self_;
  Bug bug_;
  std::map<std::uint32_t, std::int64_t> values_;          // 0 is absent
  std::map<std::uint16_t, std::uint32_t> last_write_of_;  // by client: sequences only grow
  std::uint64_t records_ = 0;                             // on disk or on their way to it
  std::deque<Waiting> waiting_;
};

class MyCluster final : public Cluster {
 public:
  explicit MyCluster(Bug bug) : bug_(bug) {}

  ClusterShape shape() const override {
    ClusterShape shape;
    shape.processes = {"node 0", "node 1", "node 2"};
    shape.key_space = {Key{0}, Key{kNodes * kKeysOfNode}};
    shape.message_kinds = {"read", "write", "answer"};
    return shape;
  }
  std::unique_ptr<ClusterProcess> make(NodeId id) const override { return std::make_unique<MyNode>(id, bug_); }

  // Clients are spread over the nodes, so two requests in three are passed on.
  Addressed encode(const ClientStep& step) const override {
    const auto& [request, operation] = step;
    const NodeId to{static_cast<std::uint16_t>(request.client.value % kNodes)};
    return {to, fmt::format("{} {} {} {} {}", name_of(operation.kind), request.client.value, request.sequence,
                            operation.key.value, operation.argument.number)};
  }
  std::optional<ClusterReply> decode(std::string_view bytes) const override {
    std::string verb;
    ClusterReply reply;
    std::int64_t value = 0;
    std::istringstream(std::string(bytes)) >> verb >> reply.request.client.value >> reply.request.sequence >> value;
    reply.outcome = {OutcomeKind::ok, value == 0 ? absent() : number(value)};
    return reply;
  }
  std::uint8_t kind_of(std::string_view bytes) const override {
    return bytes.starts_with("read") ? 0 : bytes.starts_with("write") ? 1 : 2;
  }

 private:
  Bug bug_;
};
