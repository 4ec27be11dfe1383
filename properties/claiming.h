// A placement that claims more than its scheme promises: everything is the scheme's own, only the promises are
// exchanged. For tests in which a law has to refuse a claim.
#pragma once

#include <memory>
#include <utility>

#include "spec/placement.h"

namespace shardcheck {

class Claiming final : public Placement {
 public:
  Claiming(std::unique_ptr<Placement> scheme, PlacementPromises claims)
      : scheme_(std::move(scheme)), claims_(std::move(claims)) {}

  PlacementPromises promises() const override { return claims_; }
  Result<void> add(const Member& member) override { return scheme_->add(member); }
  Result<void> remove(std::string_view name) override { return scheme_->remove(name); }
  Result<void> set_weight(std::string_view name, std::int64_t weight) override {
    return scheme_->set_weight(name, weight);
  }
  Result<std::string_view> owner(std::string_view key) const override { return scheme_->owner(key); }
  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override {
    return scheme_->preference_list(key, count);
  }
  std::vector<PlacementPoint> points() const override { return scheme_->points(); }
  std::uint64_t position_max() const override { return scheme_->position_max(); }
  std::optional<std::uint64_t> position_of(std::string_view key) const override { return scheme_->position_of(key); }
  Result<std::string_view> owner_at(std::uint64_t position) const override { return scheme_->owner_at(position); }

 private:
  std::unique_ptr<Placement> scheme_;
  PlacementPromises claims_;
};

inline PlacementFactory claiming(PlacementFactory factory, PlacementPromises claims) {
  const auto make = factory.make;
  return {.name = factory.name + " with a claim",
          .make = [make, claims](PlacementParameters parameters) -> std::unique_ptr<Placement> {
            return std::make_unique<Claiming>(make(parameters), claims);
          }};
}

}  // namespace shardcheck
