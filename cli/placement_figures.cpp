#include "cli/placement_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <vector>

namespace shardcheck::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Owners = std::vector<std::string>;

constexpr std::size_t kScan = 100;  // keys next to one another
constexpr std::size_t kScans = 100;
constexpr int kRounds = 3;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string member_name(std::uint64_t number) { return fmt::format("member-{}", number); }

std::vector<std::string> user_keys(std::uint64_t count) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (std::uint64_t number = 0; number < count; ++number) {
    keys.push_back(fmt::format("user:{}", number));
  }
  return keys;
}

// In the order of their bytes, like names, times or numbers that only grow: from "aaaa" to "zzzz", so that a scheme
// with boundaries in the alphabet has them on all of its members.
std::vector<std::string> ordered_keys() {
  constexpr std::uint64_t kLetters = 26;
  constexpr std::uint64_t kWords = kLetters * kLetters * kLetters * kLetters;
  std::vector<std::string> keys;
  const std::uint64_t count = kScan * kScans;
  for (std::uint64_t number = 0; number < count; ++number) {
    std::string key;
    std::uint64_t rest = number * kWords / count;
    for (std::uint64_t unit = kWords / kLetters; unit > 0; unit /= kLetters) {
      key.push_back(static_cast<char>('a' + rest / unit));
      rest %= unit;
    }
    keys.push_back(key + fmt::format("{:06}", number));
  }
  return keys;
}

// What is asked of one placement, until something fails.
class Measured {
 public:
  Measured(const PlacementFactory& factory, const FiguresOptions& options)
      : factory_(factory), placement_(factory.make({.virtual_nodes = options.virtual_nodes})) {}

  const Placement& placement() const { return *placement_; }
  bool has_failed() const { return failure_.has_value(); }

  double add_seconds(std::uint64_t first, std::uint64_t last) {
    const Clock::time_point start = Clock::now();
    for (std::uint64_t number = first; number < last && !has_failed(); ++number) {
      note(placement_->add({.name = member_name(number)}));
    }
    return seconds_since(start);
  }

  void remove(std::uint64_t number) {
    if (!has_failed()) {
      note(placement_->remove(member_name(number)));
    }
  }

  // The shortest of a few times, in seconds.
  double lookup_seconds(std::span<const std::string> keys) {
    double shortest = std::numeric_limits<double>::max();
    for (int round = 0; round < kRounds && !has_failed(); ++round) {
      const Clock::time_point start = Clock::now();
      note(placement_->owners(keys));
      shortest = std::min(shortest, seconds_since(start));
    }
    return shortest;
  }

  Owners owners(std::span<const std::string> keys) {
    if (has_failed()) {
      return Owners(keys.size());
    }
    const auto found = placement_->owners(keys);
    note(found);
    return found ? Owners(found->begin(), found->end()) : Owners(keys.size());
  }

  // A breakdown says more than the error that it shows as.
  std::optional<Error> failure() const {
    const std::optional<std::string> breakdown = factory_.take_breakdown ? factory_.take_breakdown() : std::nullopt;
    return breakdown ? Error{"", *breakdown} : failure_;
  }

 private:
  template <class Answer>
  void note(const Answer& answer) {
    if (!answer && !failure_) {
      failure_ = answer.error();
    }
  }

  const PlacementFactory& factory_;
  std::unique_ptr<Placement> placement_;
  std::optional<Error> failure_;
};

// The shortest of a few times each: other work on the machine makes them only longer.
void set_build_times(PlacementFigures& figures, const PlacementFactory& factory) {
  const FiguresOptions& options = figures.options;
  for (int round = 0; round < kRounds; ++round) {
    Measured measured(factory, options);
    const double build_ms = measured.add_seconds(0, options.members) * 1e3;
    const double join_ms = measured.add_seconds(options.members, options.members + 1) * 1e3;
    figures.build_ms = round == 0 ? build_ms : std::min(figures.build_ms, build_ms);
    figures.join_ms = round == 0 ? join_ms : std::min(figures.join_ms, join_ms);
  }
}

void set_loads(PlacementFigures& figures, const Owners& owners) {
  for (std::uint64_t number = 0; number < figures.options.members; ++number) {
    figures.loads[member_name(number)] = 0;
  }
  for (const std::string& owner : owners) {
    ++figures.loads[owner];
  }
  const double mean = static_cast<double>(owners.size()) / static_cast<double>(figures.loads.size());
  double squares = 0;
  for (const auto& [member, load] : figures.loads) {
    const double off = static_cast<double>(load) - mean;
    squares += off * off;
    figures.peak_to_mean = std::max(figures.peak_to_mean, static_cast<double>(load) / mean);
  }
  figures.deviation = std::sqrt(squares / static_cast<double>(figures.loads.size())) / mean;
}

// Shares of N members with V uniform points each are off by sqrt((N-1)/(N V + 1)) of the fair one, and the count of K
// keys by sqrt((N-1)/K) more.
double deviation_by_law(const FiguresOptions& options, std::uint64_t points) {
  const auto members = static_cast<double>(options.members);
  const double by_points = points == 0 ? 0 : (members - 1) / (members * static_cast<double>(points) + 1);
  return std::sqrt(by_points + (members - 1) / static_cast<double>(options.keys));
}

struct Moved {
  double all = 0;
  double strayed = 0;
};
Moved moved(const Owners& before, const Owners& after, const std::string& about) {
  Moved moved;
  for (std::size_t index = 0; index < before.size(); ++index) {
    const bool is_moved = before[index] != after[index];
    moved.all += is_moved ? 1 : 0;
    moved.strayed += is_moved && before[index] != about && after[index] != about ? 1 : 0;
  }
  const auto count = static_cast<double>(before.size());
  return {moved.all / count, moved.strayed / count};
}

void set_order_figures(PlacementFigures& figures, const Owners& owners) {
  std::size_t distinct = 0;
  for (std::size_t scan = 0; scan < kScans; ++scan) {
    const auto first = owners.begin() + static_cast<std::ptrdiff_t>(scan * kScan);
    distinct += std::set<std::string>(first, first + kScan).size();
  }
  figures.scan_members = static_cast<double>(distinct) / kScans;
  std::map<std::string, std::size_t> newest;
  std::size_t most = 0;
  for (const std::string& owner : std::span(owners).last(owners.size() / 100)) {
    most = std::max(most, ++newest[owner]);
  }
  figures.hot_share = static_cast<double>(most) / static_cast<double>(owners.size() / 100);
}

std::string in_percent(double part) { return fmt::format("{:.2f} %", part * 100); }

}  // namespace

Result<PlacementFigures> measure_placement(const PlacementFactory& factory, const FiguresOptions& options) {
  PlacementFigures figures{.scheme = factory.name, .options = options, .loads = {}, .bytes_a_member = {}};
  const std::vector<std::string> keys = user_keys(options.keys);
  set_build_times(figures, factory);
  Measured measured(factory, options);
  measured.add_seconds(0, options.members);
  figures.lookup_ns = measured.lookup_seconds(keys) * 1e9 / static_cast<double>(keys.size());
  const Owners before = measured.owners(keys);
  const Owners in_order = measured.owners(ordered_keys());
  if (const auto bytes = measured.placement().routing_bytes(); bytes && !measured.has_failed()) {
    figures.bytes_a_member = static_cast<double>(*bytes) / static_cast<double>(options.members);
  }
  figures.deviation_by_law = deviation_by_law(options, measured.placement().promises().points_per_weight);
  measured.add_seconds(options.members, options.members + 1);
  const Owners joined = measured.owners(keys);
  measured.remove(0);
  const Owners left = measured.owners(keys);
  if (const std::optional<Error> failure = measured.failure()) {
    return std::unexpected<Error>(*failure);
  }
  set_loads(figures, before);
  set_order_figures(figures, in_order);
  const Moved by_join = moved(before, joined, member_name(options.members));
  figures.moved_by_join = by_join.all;
  figures.strayed_by_join = by_join.strayed;
  const Moved by_leave = moved(joined, left, member_name(0));
  figures.moved_by_leave = by_leave.all;
  figures.strayed_by_leave = by_leave.strayed;
  figures.ideal_by_leave =
      static_cast<double>(std::ranges::count(joined, member_name(0))) / static_cast<double>(joined.size());
  return figures;
}

std::span<const FigureWord> figure_words() {
  static constexpr std::array kWords{
      FigureWord{"deviation", "the standard deviation of the members' loads, as a part of their mean"},
      FigureWord{"by chance",
                 "the deviation that so many keys, on as many uniformly placed points as the scheme has, show by "
                 "themselves; one far above it is the fault of the scheme or of its hash"},
      FigureWord{"strayed",
                 "keys that a change of members moved between two members that it is not about: moved for nothing"},
      FigureWord{"hot partition",
                 "how much of the newest hundredth of keys that only grow (times, counters) one member gets; evenly "
                 "spread it is one part in as many as there are members, at 100 % all new keys go to one member"},
      FigureWord{"range scan", "how many members have to be asked for 100 keys that lie next to one another in order"}};
  return kWords;
}

std::string figure_words_text() {
  std::string text;
  for (const FigureWord& each : figure_words()) {
    text += fmt::format("  {}: {}\n", each.word, each.meaning);
  }
  return text;
}

namespace {

// Nothing if every member has keys.
std::string without_keys_text(const PlacementFigures& figures) {
  const auto is_empty = [](const auto& load) { return load.second == 0; };
  const auto empty = std::ranges::count_if(figures.loads, is_empty);
  return empty == 0 ? ""
                    : fmt::format("  without a key  {} of {} members, {} among them\n", empty, figures.loads.size(),
                                  std::ranges::find_if(figures.loads, is_empty)->first);
}

}  // namespace

std::string to_text(const PlacementFigures& figures) {
  const FiguresOptions& options = figures.options;
  return fmt::format(
      "figures: {} members, {} keys user:0 ...; {} virtual nodes where the scheme has any\n"
      "  load           peak/mean {:.3f}, deviation {}, by chance {}\n"
      "{}"
      "  a member joins moves {} of the keys, ideally {}; {} strayed between others\n"
      "  one leaves     moves {} of the keys, ideally {}; {} strayed between others\n"
      "  lookup         {:.0f} ns a key\n"
      "  build          {:.2f} ms, one more member {:.2f} ms\n"
      "  routing state  {}\n"
      "  range scan     {} keys next to one another lie on {:.1f} members\n"
      "  hot partition  of the newest hundredth of growing keys one member gets {}\n"
      "words\n{}",
      options.members, options.keys, options.virtual_nodes, figures.peak_to_mean, in_percent(figures.deviation),
      in_percent(figures.deviation_by_law), without_keys_text(figures), in_percent(figures.moved_by_join),
      in_percent(figures.ideal_by_join()), in_percent(figures.strayed_by_join), in_percent(figures.moved_by_leave),
      in_percent(figures.ideal_by_leave), in_percent(figures.strayed_by_leave), figures.lookup_ns, figures.build_ms,
      figures.join_ms,
      figures.bytes_a_member ? fmt::format("{:.0f} bytes a member", *figures.bytes_a_member) : "not known", kScan,
      figures.scan_members, in_percent(figures.hot_share), figure_words_text());
}

nlohmann::json to_json(const PlacementFigures& figures) {
  nlohmann::json document{{"scheme", figures.scheme},
                          {"members", figures.options.members},
                          {"keys", figures.options.keys},
                          {"virtual_nodes", figures.options.virtual_nodes},
                          {"loads", figures.loads},
                          {"peak_to_mean", figures.peak_to_mean},
                          {"deviation", figures.deviation},
                          {"deviation_by_law", figures.deviation_by_law},
                          {"moved_by_join", figures.moved_by_join},
                          {"ideal_by_join", figures.ideal_by_join()},
                          {"strayed_by_join", figures.strayed_by_join},
                          {"moved_by_leave", figures.moved_by_leave},
                          {"ideal_by_leave", figures.ideal_by_leave},
                          {"strayed_by_leave", figures.strayed_by_leave},
                          {"lookup_ns", figures.lookup_ns},
                          {"build_ms", figures.build_ms},
                          {"join_ms", figures.join_ms},
                          {"bytes_a_member", nullptr},
                          {"scan_members", figures.scan_members},
                          {"hot_share", figures.hot_share}};
  if (figures.bytes_a_member) {
    document["bytes_a_member"] = *figures.bytes_a_member;
  }
  return document;
}

}  // namespace shardcheck::cli
