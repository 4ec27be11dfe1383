// A queue of your own, used by two threads and judged by a model of your own. With an argument (--lossy) the queue now
// and then drops what it takes. Exit code 0: linearizable; 1: it is not; 2: undecided.
#include <fmt/core.h>

#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

#include "histories/flat_map.h"
#include "histories/model_search.h"
#include "histories/operation_recorder.h"

using namespace shardcheck;

struct Call {
  bool is_push = false;
  int item = 0;  // what was pushed, or what pop answered; 0: the queue was empty
};

struct QueueModel {
  using State = std::deque<int>;
  using Operation = Call;
  State initial() const { return {}; }
  std::uint64_t hash(const State& queue) const {
    std::uint64_t hash = queue.size();
    for (const int item : queue) hash = histories::mixed(hash ^ static_cast<std::uint64_t>(item));
    return hash;
  }
  void step(State queue, const Call& call, Answer answer, auto emit) const {
    if (call.is_push) {
      queue.push_back(call.item);
      emit(queue);
    } else if (answer == Answer::unknown || call.item == (queue.empty() ? 0 : queue.front())) {
      if (!queue.empty()) queue.pop_front();
      emit(queue);
    }
  }
};

int main(int argc, char**) {
  std::deque<int> queue;  // what is tested
  std::mutex mutex;
  histories::OperationRecorder<Call> recorder(
      [] { return TrueTime{std::chrono::steady_clock::now().time_since_epoch().count()}; });
  const auto client = [&](int id) {
    for (int i = 1; i <= 1'000; ++i) {
      Call call{.is_push = i % 2 == 1, .item = i % 2 == 1 ? id * 10'000 + i : 0};
      const auto begun = recorder.begin(static_cast<std::uint64_t>(id), call);
      {
        const std::scoped_lock lock(mutex);
        if (call.is_push && (argc == 1 || i % 100 != 99)) queue.push_back(call.item);
        if (!call.is_push && !queue.empty()) {
          call.item = queue.front();
          queue.pop_front();
        }
      }
      recorder.returned(begun, call);
    }
  };
  {
    std::jthread first(client, 1), second(client, 2);
  }

  const histories::ModelReport report = histories::check(recorder.history(), QueueModel{});
  fmt::print("{}: {} of the operations can be brought in an order\n", name_of(report.verdict),
             report.partitions[0].longest_prefix.size());
  return static_cast<int>(report.verdict);
}
