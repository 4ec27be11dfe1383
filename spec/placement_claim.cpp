#include "spec/placement_claim.h"

#include <fmt/format.h>

#include <utility>

#include "spec/assert.h"

namespace shardcheck {
namespace {

class Claim final : public Placement {
 public:
  Claim(std::unique_ptr<Placement> placement, const std::function<void(PlacementPromises&)>& claim)
      : placement_(std::move(placement)), claim_(claim) {}

  PlacementPromises promises() const override {
    PlacementPromises promises = placement_->promises();
    claim_(promises);
    return promises;
  }
  Result<void> add(const Member& member) override { return placement_->add(member); }
  Result<void> remove(std::string_view name) override { return placement_->remove(name); }
  Result<void> set_weight(std::string_view name, std::int64_t weight) override {
    return placement_->set_weight(name, weight);
  }
  Result<std::string_view> owner(std::string_view key) const override { return placement_->owner(key); }
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override {
    return placement_->preference_list(key, count);
  }
  std::vector<PlacementPoint> points() const override { return placement_->points(); }
  std::uint64_t position_max() const override { return placement_->position_max(); }
  std::optional<std::uint64_t> position_of(std::string_view key) const override { return placement_->position_of(key); }
  Result<std::string_view> owner_at(std::uint64_t position) const override { return placement_->owner_at(position); }
  std::uint64_t partitions() const override { return placement_->partitions(); }

 private:
  std::unique_ptr<Placement> placement_;
  std::function<void(PlacementPromises&)> claim_;
};

}  // namespace

PlacementFactory claiming(PlacementFactory factory, std::function<void(PlacementPromises&)> claim) {
  factory.make = [make = std::move(factory.make), claim = std::move(claim)](PlacementParameters parameters) {
    return std::make_unique<Claim>(make(parameters), claim);
  };
  return factory;
}

PlacementFactory held_to(const PlacementFactory& factory, ClauseId clause_id) {
  Promise PlacementPromises::* const level = level_of(clause_id);
  SHARDCHECK_ASSERT(level != nullptr);
  PlacementFactory held =
      claiming(factory, [level](PlacementPromises& promises) { promises.*level = Promise::exactly; });
  held.name = fmt::format("{}+exactly_{}", factory.name, clause(clause_id).text_id);
  return held;
}

}  // namespace shardcheck
