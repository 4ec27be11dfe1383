// The members of a placement scheme in the order of their names, and what every scheme asks of a change: a name,
// unique, and a weight within bounds. A list is a value: a change gives another one, or says why there is none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "impl/placement/ring_decisions.h"
#include "spec/placement.h"

namespace shardcheck::impl {

inline constexpr std::size_t kMembersMax = 65'535;

// What every scheme asks of a member (the name, the weight) and of a list in the order of names (nobody twice), and
// whom it does not know. Errors begin with the name of the scheme.
Result<void> check_member(std::string_view scheme, const Member& member);
Result<void> check_distinct(std::string_view scheme, std::span<const Member> members);
std::unexpected<Error> not_a_member(std::string_view scheme, std::string_view name);

// A number for each member, equal for those of one rack; a member without a rack has one of its own. From 0 on, none
// left out. At most kMembersMax members.
std::vector<MemberIndex> number_racks(std::span<const Member> members);

class MemberList {
 public:
  // Errors begin with the name of the scheme. `weight_max` is how much all weights together may come to.
  explicit MemberList(std::string_view scheme, std::int64_t weight_max = std::int64_t{1} << 36)
      : scheme_(scheme), weight_max_(weight_max) {}

  // Fail as Placement does. O(members).
  Result<MemberList> with(const Member& member) const;
  Result<MemberList> without(std::string_view name) const;
  Result<MemberList> with_weight(std::string_view name, std::int64_t weight) const;

  bool is_empty() const { return members_.empty(); }
  std::size_t size() const { return members_.size(); }
  const Member& operator[](MemberIndex index) const { return members_[index]; }
  std::optional<MemberIndex> find(std::string_view name) const;
  std::int64_t weight_total() const { return weight_total_; }
  const std::string& scheme() const { return scheme_; }

  // number_racks of the members.
  std::span<const MemberIndex> racks() const { return racks_; }
  std::size_t rack_count() const { return rack_count_; }

  // Indices of `before`, as they are here: nothing for who has left.
  std::vector<std::optional<MemberIndex>> indices_since(const MemberList& before) const;

 private:
  // Fails: a member that check_member refuses, or more weight than weight_max together with the others.
  Result<void> check(const Member& member, std::int64_t others) const;
  void set_racks();

  std::string scheme_;
  std::int64_t weight_max_;
  std::vector<Member> members_;
  std::vector<MemberIndex> racks_;
  std::size_t rack_count_ = 0;
  std::int64_t weight_total_ = 0;
};

// The preference list of `count` members out of a scheme's own order, which may repeat members: a member chosen already
// is skipped and, while others are left, one of a rack chosen already. candidate(step) is the member at this place of
// the order, step < steps; together they must name every member. O(steps).
template <class Candidate>
std::vector<MemberIndex> choose_replicas(const MemberList& members, std::size_t count, std::size_t steps,
                                         Candidate candidate) {
  std::vector<MemberIndex> chosen;
  std::vector<bool> is_chosen(members.size());
  std::vector<bool> is_rack_chosen(members.size());
  const auto walk = [&](std::size_t end, bool skips_racks) {
    for (std::size_t step = 0; step < steps && chosen.size() < end; ++step) {
      const MemberIndex member = candidate(step);
      const MemberIndex rack = members.racks()[member];
      if (is_chosen[member] || (skips_racks && is_rack_chosen[rack])) {
        continue;
      }
      is_chosen[member] = true;
      is_rack_chosen[rack] = true;
      chosen.push_back(member);
    }
  };
  walk(std::min(count, members.rack_count()), true);
  walk(count, false);
  return chosen;
}

}  // namespace shardcheck::impl
