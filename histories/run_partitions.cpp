#include "histories/run_partitions.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>  // threads: no result depends on their order
#include <vector>

namespace shardcheck::histories {
namespace {

class Parts {
 public:
  Parts(std::uint32_t parts, const RunPart& run) : run_(run), wanted_(parts), thrown_(parts) {}

  void work() {
    for (std::uint32_t part = next_++; part < wanted_; part = next_++) {
      try {
        if (run_(part, [this, part] { return part >= wanted_; })) {
          want_only(part + 1);
        }
      } catch (...) {
        thrown_[part] = std::current_exception();
        want_only(part + 1);
      }
    }
  }

  std::uint32_t wanted() const {
    const auto thrown = std::ranges::find_if(thrown_, [](const std::exception_ptr& what) { return what != nullptr; });
    // A part behind the last one that counts may have thrown too: nobody wanted to know.
    if (thrown != thrown_.end() && thrown - thrown_.begin() < wanted_) {
      std::rethrow_exception(*thrown);
    }
    return wanted_;
  }

 private:
  void want_only(std::uint32_t parts) {
    std::uint32_t wanted = wanted_;
    while (parts < wanted && !wanted_.compare_exchange_weak(wanted, parts)) {
    }
  }

  const RunPart& run_;
  std::atomic<std::uint32_t> next_ = 0;
  std::atomic<std::uint32_t> wanted_;
  std::vector<std::exception_ptr> thrown_;
};

}  // namespace

std::uint32_t run_partitions(std::uint32_t parts, std::uint32_t threads, const RunPart& run) {
  Parts work(parts, run);
  {
    std::vector<std::jthread> others;  // threads: no result depends on their order
    for (std::uint32_t i = 1; i < std::min(threads, parts); ++i) {
      others.emplace_back([&work] { work.work(); });  // threads: no result depends on their order
    }
    work.work();
  }
  return work.wanted();
}

}  // namespace shardcheck::histories
