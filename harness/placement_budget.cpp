#include "harness/placement_budget.h"

#include <utility>

namespace shardcheck {
namespace {

class Budgeted final : public Placement {
 public:
  Budgeted(std::unique_ptr<Placement> inner, const std::function<bool()>& goes_on)
      : inner_(std::move(inner)), goes_on_(goes_on) {}

  PlacementPromises promises() const override { return inner_->promises(); }
  Result<void> add(const Member& member) override { return goes_on_() ? inner_->add(member) : over(); }
  Result<void> remove(std::string_view name) override { return goes_on_() ? inner_->remove(name) : over(); }
  Result<void> set_weight(std::string_view name, std::int64_t weight) override {
    return goes_on_() ? inner_->set_weight(name, weight) : over();
  }
  Result<std::string_view> owner(std::string_view key) const override {
    return goes_on_() ? inner_->owner(key) : over();
  }
  Result<std::vector<std::string_view>> owners(std::span<const std::string> keys) const override {
    return goes_on_() ? inner_->owners(keys) : over();
  }
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override {
    return goes_on_() ? inner_->preference_list(key, count) : over();
  }
  std::optional<std::uint64_t> position_of(std::string_view key) const override {
    return goes_on_() ? inner_->position_of(key) : std::nullopt;
  }
  Result<std::string_view> owner_at(std::uint64_t position) const override {
    return goes_on_() ? inner_->owner_at(position) : over();
  }
  Result<std::vector<std::string_view>> owners_at(std::span<const std::uint64_t> positions) const override {
    return goes_on_() ? inner_->owners_at(positions) : over();
  }
  // What a law takes for the same all along, and one question each.
  std::vector<PlacementPoint> points() const override { return inner_->points(); }
  std::uint64_t position_max() const override { return inner_->position_max(); }
  std::uint64_t partitions() const override { return inner_->partitions(); }
  std::optional<std::uint64_t> routing_bytes() const override { return inner_->routing_bytes(); }

 private:
  static std::unexpected<Error> over() { return fail("placement", "the time is up"); }

  std::unique_ptr<Placement> inner_;
  const std::function<bool()>& goes_on_;  // the factory's, which outlives what it makes
};

}  // namespace

PlacementFactory within_budget(PlacementFactory factory, std::function<bool()> goes_on) {
  const auto shared = std::make_shared<const std::function<bool()>>(std::move(goes_on));
  factory.make = [make = std::move(factory.make), shared](PlacementParameters parameters) {
    return std::make_unique<Budgeted>(make(parameters), *shared);
  };
  return factory;
}

}  // namespace shardcheck
