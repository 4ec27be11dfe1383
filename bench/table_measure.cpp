#include "bench/table_measure.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "bench/lookup_peers.h"
#include "bench/memcached_ring.h"
#include "bench/memory_limit.h"
#include "bench/point_samples.h"
#include "bench/ring_samples.h"
#include "impl/placement/bisect_table.h"
#include "impl/placement/line_table.h"
#include "impl/range_index.h"
#include "spec/assert.h"

namespace shardcheck::bench {
namespace {

using impl::MemberIndex;

// So many questions each call asks, and the next call the next ones.
constexpr std::size_t kAsked = 4'096;

template <class Question>
class Rotation {
 public:
  explicit Rotation(std::span<const Question> questions) : questions_(questions) {}
  std::span<const Question> next() {
    const std::span<const Question> asked = questions_.subspan(start_, kAsked);
    start_ = start_ + 2 * kAsked <= questions_.size() ? start_ + kAsked : 0;
    return asked;
  }

 private:
  std::span<const Question> questions_;
  std::size_t start_ = 0;
};

using Owners = std::array<MemberIndex, kAsked>;

template <class Table>
Owners owners_of(const Table& table, std::span<const std::uint32_t> questions) {
  Owners owners;
  table.owners_at(questions.first(kAsked), owners);
  return owners;
}

// A work of measure_in_turns: answers the next questions in a batch.
template <class Table>
auto batches_of(const Table& table, std::span<const std::uint32_t> questions) {
  return [&table, rotation = Rotation(questions), owners = Owners()]() mutable {
    table.owners_at(rotation.next(), owners);
    keep(owners[0]);
  };
}

template <class Table>
auto chain_of(const Table& table, std::span<const std::uint32_t> questions) {
  return [&table, rotation = Rotation(questions), last = MemberIndex{0}]() mutable {
    for (const std::uint32_t question : rotation.next()) {
      last = table.owner_at(question ^ last);
    }
    keep(last);
  };
}

template <class Map>
Ratio measure_range_lookup(std::size_t ranges, KeyKind kind) {
  const std::vector<std::string> starts = sample_starts(kind, ranges);
  const impl::RangeIndex index(views_of(starts));
  Map range_of_start;
  for (std::size_t range = 0; range < starts.size(); ++range) {
    range_of_start.emplace(starts[range], static_cast<std::uint32_t>(range));
  }
  const std::vector<std::string> keys = sample_keys(kind, std::size_t{1} << 18, 2);
  const std::vector<std::string_view> asked = views_of(keys);
  const auto range_in_map = [&](std::string_view key) { return std::prev(range_of_start.upper_bound(key))->second; };
  for (const std::string_view key : asked) {
    SHARDCHECK_ASSERT(index.range_of(key) == range_in_map(key));
  }

  const auto work = [&asked](auto range_of) {
    return [range_of, rotation = Rotation<std::string_view>(asked)]() mutable {
      std::uint32_t sum = 0;
      for (const std::string_view key : rotation.next()) {
        sum += range_of(key);
      }
      keep(sum);
    };
  };
  return measure_in_turns(kAsked, work([&](std::string_view key) { return index.range_of(key); }), work(range_in_map));
}

}  // namespace

Ratio measure_table_lookup(std::size_t points) {
  const PointSamples<std::uint32_t> samples(points);
  const impl::LineTable<std::uint32_t> lines(samples.list());
  const impl::LowerBoundTable<std::uint32_t> bisected(samples.list());
  const std::vector<std::uint32_t> questions = uniform_questions<std::uint32_t>(questions_for(points));
  SHARDCHECK_ASSERT(owners_of(lines, questions) == owners_of(bisected, questions));
  return measure_in_turns(kAsked, batches_of(lines, questions), batches_of(bisected, questions));
}

Ratio measure_dependent_lookup(std::size_t points) {
  const PointSamples<std::uint32_t> samples(points);
  const impl::LineTable<std::uint32_t> lines(samples.list());
  const impl::LowerBoundTable<std::uint32_t> bisected(samples.list());
  const std::vector<std::uint32_t> questions = uniform_questions<std::uint32_t>(questions_for(points));
  SHARDCHECK_ASSERT(owners_of(lines, questions) == owners_of(bisected, questions));
  return measure_in_turns(kAsked, chain_of(lines, questions), chain_of(bisected, questions));
}

Ratio measure_table_against_memory(std::size_t points) {
  const PointSamples<std::uint32_t> samples(points);
  const impl::LineTable<std::uint32_t> lines(samples.list());
  const RandomReads memory(lines.hot_bytes());
  const std::vector<std::uint32_t> questions = uniform_questions<std::uint32_t>(questions_for(points));
  return measure_in_turns(kAsked, batches_of(lines, questions),
                          [&, rotation = Rotation<std::uint32_t>(questions)]() mutable {
                            keep(memory.read_independently(rotation.next()));
                          });
}

#ifdef SHARDCHECK_HAS_XXHASH
Result<Ratio> measure_key_to_owner() {
  constexpr std::size_t kServers = 100;  // more than 100 end in a failed assertion of the library
  constexpr std::size_t kPoints = 20'000;
  constexpr std::size_t kKeyBytes = 12;
  const Result<MemcachedRing> memcached = MemcachedRing::of_servers(kServers);
  if (!memcached) {
    return std::unexpected(memcached.error());
  }
  const PointSamples<std::uint32_t> samples(kPoints);
  const impl::LineTable<std::uint32_t> lines(samples.list());
  std::vector<std::string> keys;
  impl::UniformNumbers numbers(2);
  while (keys.size() < std::size_t{1} << 16) {
    keys.push_back(fmt::format("user:{:07}", numbers.next() % 10'000'000));
    SHARDCHECK_ASSERT(keys.back().size() == kKeyBytes);
  }
  const std::vector<std::string_view> asked = views_of(keys);
  const auto work = [&asked](auto owner_of) {
    return [owner_of, rotation = Rotation<std::string_view>(asked)]() mutable {
      std::uint32_t sum = 0;
      for (const std::string_view key : rotation.next()) {
        sum += owner_of(key);
      }
      keep(sum);
    };
  };
  const auto owner_in_lines = [&](std::string_view key) {
    return std::uint32_t{lines.owner_at(static_cast<std::uint32_t>(XXH3_64bits(key.data(), key.size()) >> 32U))};
  };
  return measure_in_turns(kAsked, work(owner_in_lines),
                          work([&](std::string_view key) { return memcached->owner_of(key); }));
}
#else
Result<Ratio> measure_key_to_owner() { return fail("xxhash", "not installed"); }
#endif

Ratio measure_preference_list(std::size_t points) {
  const std::shared_ptr<const impl::RingTable> table = ring_with_points(points).table();
  const impl::PreferenceTable packed = table->pack_preferences();
  const std::vector<std::uint32_t> questions = uniform_questions<std::uint32_t>(questions_for(points));
  for (const std::uint32_t question : std::span(questions).first(kAsked)) {
    impl::PreferencesOfThree walked{};
    SHARDCHECK_ASSERT(table->preference_list_at(question, walked) == packed.size());
    SHARDCHECK_ASSERT(packed.at(question) == walked);
  }
  using Lists = std::vector<impl::PreferencesOfThree>;
  auto by_table = [&, rotation = Rotation<std::uint32_t>(questions), lists = Lists(kAsked)]() mutable {
    packed.at(rotation.next(), lists);
    keep(lists.front());
  };
  auto by_walk = [&, rotation = Rotation<std::uint32_t>(questions), lists = Lists(kAsked)]() mutable {
    std::size_t index = 0;
    for (const std::uint32_t question : rotation.next()) {
      table->preference_list_at(question, lists[index++]);
    }
    keep(lists.front());
  };
  return measure_in_turns(kAsked, by_table, by_walk);
}

Ratio measure_range_lookup_map(std::size_t ranges) {
  return measure_range_lookup<std::map<std::string, std::uint32_t, std::less<>>>(ranges, KeyKind::random);
}

#ifdef SHARDCHECK_HAS_ABSL
Result<Ratio> measure_range_lookup_btree(std::size_t ranges) {
  return measure_range_lookup<absl::btree_map<std::string, std::uint32_t, std::less<>>>(ranges, KeyKind::random);
}
#else
Result<Ratio> measure_range_lookup_btree(std::size_t) { return fail("abseil", "not installed"); }
#endif

}  // namespace shardcheck::bench
