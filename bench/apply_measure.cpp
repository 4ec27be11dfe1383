#include "bench/apply_measure.h"

#include "bench/replay_samples.h"
#include "spec/assert.h"

namespace shardcheck::bench {
namespace {

// One of the two stores, and the log that is replayed onto it.
template <class Store>
struct Replayed {
  Store store;
  ReplayLog log;
  std::uint64_t pass = 1;

  void stamp_next() { log.stamp(++pass); }
};

std::size_t replay(impl::ApplyStore& store, const ReplayLog& log) {
  const impl::BatchOutcome outcome = store.apply(log.entries());
  SHARDCHECK_ASSERT(!outcome.refusal.has_value());
  return outcome.took_effect;
}

std::size_t replay(MapStore& store, const ReplayLog& log) {
  std::size_t took_effect = 0;
  for (const impl::VersionedEntry& entry : log.entries()) {
    took_effect += store.apply(entry) ? 1U : 0U;
  }
  return took_effect;
}

template <class Store>
Replayed<Store> filled(std::size_t keys) {
  Replayed<Store> it{.store = Store(), .log = ReplayLog::of_changes(keys)};
  it.store.reserve(keys);
  SHARDCHECK_ASSERT(replay(it.store, ReplayLog::that_fills(keys)) == keys);
  return it;
}

// One more pass, the same for both, after which they must hold the same.
void compare(Replayed<impl::ApplyStore>& subject, Replayed<MapStore>& baseline, std::size_t keys) {
  subject.pass = baseline.pass = std::max(subject.pass, baseline.pass);
  subject.stamp_next();
  baseline.stamp_next();
  SHARDCHECK_ASSERT(replay(subject.store, subject.log) == replay(baseline.store, baseline.log));
  SHARDCHECK_ASSERT(subject.store.size() == keys);
  const ReplayLog fill = ReplayLog::that_fills(keys);
  for (const impl::VersionedEntry& entry : fill.entries()) {
    const auto found = subject.store.find(entry.key);
    SHARDCHECK_ASSERT(found.has_value());
    SHARDCHECK_ASSERT(found == baseline.store.find(entry.key));
  }
}

}  // namespace

Ratio measure_replay_apply(std::size_t keys) {
  Replayed<impl::ApplyStore> subject = filled<impl::ApplyStore>(keys);
  Replayed<MapStore> baseline = filled<MapStore>(keys);
  const auto pass_over = [](auto& it) {
    it.stamp_next();
    keep(replay(it.store, it.log));
  };

  const Ratio ratio = measure_in_turns(keys, [&] { pass_over(subject); }, [&] { pass_over(baseline); });

  compare(subject, baseline, keys);
  return ratio;
}

}  // namespace shardcheck::bench
