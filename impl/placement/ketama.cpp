#include "impl/placement/ketama.h"

#include <fmt/format.h>
#include <md5.h>

#include <array>
#include <cfloat>
#include <cmath>
#include <memory>

#include "spec/assert.h"

namespace shardcheck::impl {
namespace {

constexpr std::string_view kDefaultPort = ":11211";
constexpr std::uint64_t kDigestsPerMember = 40;
constexpr std::uint64_t kPointsPerDigest = 4;

using Digest = std::array<std::uint8_t, MD5_DIGEST_LENGTH>;

Digest md5_of(std::string_view text) {
  MD5_CTX context;
  MD5Init(&context);
  MD5Update(&context, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  Digest digest;
  MD5Final(digest.data(), &context);
  return digest;
}

std::uint32_t word_of(const Digest& digest, std::size_t number) {
  const std::size_t at = number * 4;
  return std::uint32_t{digest[at + 3]} << 24 | std::uint32_t{digest[at + 2]} << 16 |
         std::uint32_t{digest[at + 1]} << 8 | std::uint32_t{digest[at]};
}

std::string label_of(std::string_view name) {
  if (name.size() > kDefaultPort.size() && name.ends_with(kDefaultPort)) {
    name.remove_suffix(kDefaultPort.size());
  }
  return std::string(name);
}

std::uint64_t point_count(std::int64_t weight, const RingTotals& totals) { return ketama_point_count(weight, totals); }

std::vector<std::uint32_t> positions_of(std::string_view label, std::uint64_t count) {
  std::vector<std::uint32_t> positions;
  positions.reserve(count);
  for (std::uint64_t number = 0; number < count / kPointsPerDigest; ++number) {
    const Digest digest = md5_of(fmt::format("{}-{}", label, number));
    for (std::size_t word = 0; word < kPointsPerDigest; ++word) {
      positions.push_back(word_of(digest, word));
    }
  }
  return positions;
}

std::uint32_t position_of_key(std::string_view key) { return word_of(md5_of(key), 0); }

PlacementPromises promises(const RingTotals& totals) {
  PlacementPromises promised{.movement = Promise::none, .balance = Promise::within_bound};
  const std::uint64_t points = kDigestsPerMember * kPointsPerDigest;
  promised.points_per_weight =
      totals.members == 0
          ? points
          : std::max<std::uint64_t>(1, points * totals.members / static_cast<std::uint64_t>(totals.weight));
  return promised;
}

}  // namespace

std::uint64_t ketama_point_count(std::int64_t weight, const RingTotals& totals, KetamaRounding rounding) {
  static_assert(FLT_EVAL_METHOD == 0, "an expression of floats must be rounded to a float at every step");
  SHARDCHECK_ASSERT(weight >= 1 && weight <= totals.weight && totals.members >= 1);
  if (rounding == KetamaRounding::exact) {
    const std::uint64_t wanted = static_cast<std::uint64_t>(weight) * kDigestsPerMember * totals.members;
    return wanted / static_cast<std::uint64_t>(totals.weight) * kPointsPerDigest;
  }
  const auto members = static_cast<float>(totals.members);       // float: the convention's own arithmetic
  const auto total_weight = static_cast<float>(totals.weight);   // float: the convention's own arithmetic
  const float part = static_cast<float>(weight) / total_weight;  // float: the convention's own arithmetic
  if (rounding == KetamaRounding::libketama) {
    const double digests = part * 40.0 * double{members};  // float: the convention's own arithmetic
    return static_cast<std::uint64_t>(
               std::floor(static_cast<float>(digests))) *  // float: the convention's own arithmetic
           kPointsPerDigest;
  }
  // The original adds 1e-10 before it rounds down. No float that is not whole already lies so near to a whole one, so
  // this never changes anything, and leaving it out leaves nothing that a compiler could fuse.
  const float digests = part * 160 / 4 * members;  // float: the convention's own arithmetic
  return static_cast<std::uint64_t>(std::floor(digests)) * kPointsPerDigest;
}

const RingConvention& ketama_convention() {
  static constexpr RingConvention kConvention{.name = "ketama",
                                              .label_of = label_of,
                                              .point_count = point_count,
                                              .positions_of = positions_of,
                                              .position_of_key = position_of_key,
                                              .promises = promises};
  return kConvention;
}

PlacementFactory ketama_factory() {
  return {.name = "ketama", .make = [](PlacementParameters parameters) -> std::unique_ptr<Placement> {
            return std::make_unique<PointRing>(ketama_convention(), parameters);
          }};
}

}  // namespace shardcheck::impl
