// A placement scheme as a sequence of immutable tables: a change of membership builds the next table beside the old one
// and puts it in its place. Whoever holds table() keeps reading an unchanged one, on any thread and without a lock; a
// change that fails leaves the table as it is.
//
// A Table has:
//   const MemberList& members() const;
//   PlacementPromises promises() const;
//   Result<Table> changed(MemberList members) const;  // the table of these members that follows this one
//   MemberIndex owner(std::string_view key) const;    // not without members
//   std::vector<MemberIndex> replicas(std::string_view key, std::size_t count) const;  // count in 1..members
//   std::size_t bytes() const;                        // of what lookups need, names and racks not counted
// and, if it places whole partitions:
//   std::uint64_t partitions() const;
//   std::uint64_t partition_of(std::string_view key) const;
//   MemberIndex owner_of(std::uint64_t partition) const;  // not without members
#pragma once

#include <fmt/format.h>

#include <memory>
#include <span>
#include <utility>

#include "impl/placement/member_list.h"

namespace shardcheck::impl {

template <class Table>
class TablePlacement : public Placement {
 public:
  explicit TablePlacement(Table empty) : table_(std::make_shared<const Table>(std::move(empty))) {}

  PlacementPromises promises() const override { return table_->promises(); }

  Result<void> add(const Member& member) override { return change_to(table_->members().with(member)); }
  Result<void> remove(std::string_view name) override { return change_to(table_->members().without(name)); }
  Result<void> set_weight(std::string_view name, std::int64_t weight) override {
    return change_to(table_->members().with_weight(name, weight));
  }
  // Adds all or none, as one change.
  Result<void> add_all(std::span<const Member> added) {
    Result<MemberList> members = table_->members();
    for (const Member& member : added) {
      members = members->with(member);
      if (!members) {
        break;
      }
    }
    return change_to(std::move(members));
  }

  Result<std::string_view> owner(std::string_view key) const override {
    if (table_->members().is_empty()) {
      return nobody();
    }
    return name_of(table_->owner(key));
  }

  Result<std::vector<std::string_view>> preference_list(std::string_view key, std::size_t count) const override {
    const MemberList& members = table_->members();
    if (count > members.size()) {
      return fail(members.scheme(), fmt::format("{} replicas asked of {} members", count, members.size()));
    }
    std::vector<std::string_view> names;
    if (count > 0) {
      for (const MemberIndex member : table_->replicas(key, count)) {
        names.push_back(name_of(member));
      }
    }
    return names;
  }

  std::uint64_t partitions() const override {
    if constexpr (has_partitions()) {
      return table_->partitions();
    } else {
      return 0;
    }
  }
  std::uint64_t position_max() const override { return partitions() == 0 ? 0 : partitions() - 1; }
  std::optional<std::uint64_t> position_of(std::string_view key) const override {
    if constexpr (has_partitions()) {
      return table_->partition_of(key);
    } else {
      return Placement::position_of(key);
    }
  }
  Result<std::string_view> owner_at(std::uint64_t position) const override {
    if constexpr (has_partitions()) {
      if (position >= table_->partitions()) {
        return fail(scheme(), fmt::format("there is no partition {}", position));
      }
      return table_->members().is_empty() ? nobody() : name_of(table_->owner_of(position));
    } else {
      return Placement::owner_at(position);
    }
  }

  std::optional<std::uint64_t> routing_bytes() const override { return table_->bytes(); }

  // The table of the members as they are now; it stays as it is when they change.
  std::shared_ptr<const Table> table() const { return table_; }

 protected:
  void put(Table next) { table_ = std::make_shared<const Table>(std::move(next)); }

 private:
  static constexpr bool has_partitions() {
    return requires(const Table& table) { table.partitions(); };
  }

  const std::string& scheme() const { return table_->members().scheme(); }
  Result<std::string_view> nobody() const { return fail(scheme(), "no member owns anything, there is none"); }
  std::string_view name_of(MemberIndex member) const { return table_->members()[member].name; }

  Result<void> change_to(Result<MemberList> members) {
    if (!members) {
      return std::unexpected<Error>(members.error());
    }
    Result<Table> next = table_->changed(*std::move(members));
    if (!next) {
      return std::unexpected<Error>(next.error());
    }
    put(*std::move(next));
    return {};
  }

  std::shared_ptr<const Table> table_;
};

// Fresh placements of one scheme: make(parameters) gives the table without members.
template <class Make>
PlacementFactory table_factory(std::string name, Make make) {
  return {.name = std::move(name), .make = [make](PlacementParameters parameters) -> std::unique_ptr<Placement> {
            return std::make_unique<TablePlacement<decltype(make(parameters))>>(make(parameters));
          }};
}

}  // namespace shardcheck::impl
