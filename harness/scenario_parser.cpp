// Reads a scenario back from its text. Everything that a run relies on is checked here, so that no file can make a run
// fail in any other way than by a verdict.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "harness/cluster_words.h"
#include "harness/directory_system.h"
#include "harness/line_network.h"
#include "harness/line_words.h"
#include "harness/losses.h"
#include "harness/moves_line.h"
#include "harness/scenario.h"
#include "harness/step_parser.h"
#include "impl/messages.h"
#include "spec/cluster.h"

namespace shardcheck::harness {
namespace {

constexpr std::size_t kLinesMax = 100'000;
// What the reference's fixed time-outs leave time for.
constexpr std::uint16_t kReplicatedShardsMax = 8;
constexpr Duration kDelayMax = milliseconds(1);
constexpr std::int64_t kBytesPerSecondMin = 500'000;

class ScenarioParser {
 public:
  void line(Words& words) {
    const std::string_view kind = words.word("the kind of line");
    if (!has_header_) {
      header(kind, words);
    } else if (kind == "cluster") {
      cluster(words);
    } else if (kind == "system") {
      system(words);
    } else if (!has_cluster_) {
      words.refuse("the line 'cluster ...' or 'system ...' must come first");
    } else if (!may_come(kind)) {
      words.refuse(fmt::format("'{}' comes once, before clocks, steps and deviations", kind));
    } else if (kind == "moves") {
      moves(words);
    } else if (kind == "messages") {
      messages(words);
    } else if (take_cluster_line(kind, words, scenario_)) {
      refresh_make_up();
      check_mutant(words);
    } else if (kind == "mutant") {
      mutant(words);
    } else if (kind == "network") {
      network(words);
    } else if (kind == "clock") {
      clock(words);
    } else if (kind == "at") {
      step(words);
    } else if (kind == "on") {
      deviation(words);
    } else {
      words.refuse(fmt::format("'{}' is no kind of line", kind.substr(0, 40)));
    }
    words.end();
  }

  bool is_complete() const { return has_header_ && has_cluster_; }
  Scenario take() { return std::move(scenario_); }

 private:
  // Whatever comes later is checked against such a line.
  bool may_come(std::string_view kind) {
    constexpr std::array<std::string_view, 5> kOnce{"alone", "moves", "network", "mutant", "router_kinds"};
    if (std::ranges::find(kOnce, kind) == kOnce.end()) {
      return true;
    }
    const bool is_late = !scenario_.clocks.empty() || !scenario_.steps.empty() || !anchors_.empty();
    return said_.emplace(kind).second && !is_late;
  }

  void header(std::string_view kind, Words& words) {
    if (kind != "scenario") {
      words.refuse("this is no scenario: the first line must be 'scenario 1'");
      return;
    }
    words.whole_number("the version of the format", 1, 1);
    has_header_ = true;
  }

  void cluster(Words& words) {
    if (has_cluster_) {
      words.refuse("the cluster is described already");
      return;
    }
    impl::ClusterOptions& cluster = scenario_.cluster;
    words.take("storage_nodes");
    cluster.storage_nodes = static_cast<std::uint16_t>(words.whole_number("storage_nodes", 1, 30));
    words.take("routers");
    cluster.routers = static_cast<std::uint16_t>(words.whole_number("routers", 1, impl::kRoutersMax));
    words.take("clients");
    cluster.clients = static_cast<std::uint16_t>(words.whole_number("clients", 1, 64));
    words.take("shards");
    cluster.shards = static_cast<std::uint16_t>(words.whole_number("shards", 1, 64));
    words.take("keys");
    cluster.keys = static_cast<std::uint32_t>(words.whole_number("keys", cluster.shards, 1024));
    cluster.directories = 1;
    if (!words.is_empty()) {
      words.take("directories");
      cluster.directories = static_cast<std::uint16_t>(words.whole_number("directories", 1, impl::kDirectoriesMax));
    }
    if (cluster.directories % 2 == 0) {
      words.refuse("a directory has 1, 3 or 5 members");
    }
    if (cluster.directories > 1 && cluster.shards > kReplicatedShardsMax) {
      words.refuse(fmt::format("a directory of several members keeps up with the leases of {} ranges at most",
                               kReplicatedShardsMax));
    }
    take_make_up({cluster.clients, cluster.shards, impl::Roles(cluster).processes(), {Key{0}, Key{cluster.keys}}});
  }

  void moves(Words& words) {
    if (scenario_.system) {
      words.refuse("only the reference says how it moves ranges");
      return;
    }
    take_moves(words, scenario_.cluster);
    refresh_make_up();
  }

  void refresh_make_up() {
    const impl::ClusterOptions& cluster = scenario_.cluster;
    if (!scenario_.system) {
      make_up_.shards = cluster.shard_ids();
      make_up_.processes =
          scenario_.is_of_directory_alone ? cluster.directories + cluster.clients : impl::Roles(cluster).processes();
    }
  }

  void system(Words& words) {
    if (has_cluster_) {
      words.refuse("the cluster is described already");
      return;
    }
    ForeignSystem& system = scenario_.system.emplace();
    system.name = words.word("the name of a system");
    words.take("processes");
    system.processes = static_cast<std::uint16_t>(words.whole_number("processes", 1, 1'000));
    words.take("clients");
    system.clients = static_cast<std::uint16_t>(words.whole_number("clients", 1, 1'000));
    words.take("shards");
    system.shards = static_cast<std::uint16_t>(words.whole_number("shards", 0, 10'000));
    words.take("keys");
    system.key_space.lo = Key{static_cast<std::uint32_t>(words.whole_number("the first key", 0, 99'999))};
    system.key_space.hi = Key{
        static_cast<std::uint32_t>(words.whole_number("the end of the keys", system.key_space.lo.value + 1, 100'000))};
    take_make_up({system.clients, system.shards, system.processes + 1, system.key_space});
  }

  // Everything behind it is checked against it, so there is no second one.
  void take_make_up(const MakeUp& make_up) {
    has_cluster_ = true;
    make_up_ = make_up;
    last_sequence_.assign(static_cast<std::size_t>(make_up.clients), 0);
  }

  void messages(Words& words) {
    if (!scenario_.system) {
      words.refuse("only a 'system' says what its messages are called");
      return;
    }
    if (!scenario_.system->message_kinds.empty()) {
      words.refuse("the messages are named already");
    }
    while (!words.is_empty() && scenario_.system->message_kinds.size() < kMessageKindsMax) {
      scenario_.system->message_kinds.emplace_back(words.word("a kind of message"));
    }
  }

  void network(Words& words) {
    scenario_.network = take_network(words);
    const sim::NetworkOptions& it = scenario_.network;
    if (!scenario_.system && (it.delay > kDelayMax || it.bytes_per_second < kBytesPerSecondMin)) {
      words.refuse(
          fmt::format("the reference's time-outs are made for links with a delay of {} ms at most and {} bytes a "
                      "second at least",
                      kDelayMax.value / 1'000'000, kBytesPerSecondMin));
    }
  }

  void mutant(Words& words) {
    const std::string_view name = words.word("the name of a mutant");
    const auto found = impl::mutant_by_name(name);
    if (!found) {
      words.refuse(fmt::format("'{}' is no mutant; 'shardcheck list mutants' names them", name.substr(0, 40)));
    }
    if (scenario_.system) {
      words.refuse("only the reference has mutants");
    }
    scenario_.cluster.mutant = found.value_or(impl::Mutant::none);
    check_mutant(words);
  }

  void check_mutant(Words& words) const {
    const impl::Mutant mutant = scenario_.cluster.mutant;
    if (scenario_.is_of_directory_alone && !is_shown_by_directory_alone(mutant)) {
      words.refuse(fmt::format("a directory alone cannot show '{}'", impl::row_of(mutant).name));
    }
  }

  NodeId process(Words& words, std::string_view what) const { return read_process(make_up_, words, what); }

  void clock(Words& words) {
    ClockSetting clock;
    clock.process = process(words, "the process of a clock");
    words.take("offset");
    clock.offset = words.time("the offset");
    check_clock_offset(scenario_, clock.offset, words);
    words.take("drift_ppm");
    clock.drift_ppm = words.whole_number("drift_ppm", -1'000, 1'000);
    while (words.take_if("then")) {
      take_drift_change(clock, words);
    }
    if (std::ranges::find(scenario_.clocks, clock.process, &ClockSetting::process) != scenario_.clocks.end()) {
      words.refuse("this process has a clock already");
    }
    scenario_.clocks.push_back(clock);
  }

  static void take_drift_change(ClockSetting& clock, Words& words) {
    sim::DriftChange change;
    change.at = TrueTime{words.time("when the drift changes").value};
    change.drift_ppm = words.whole_number("drift_ppm", -1'000, 1'000);
    const TrueTime before = clock.changes.empty() ? TrueTime{} : clock.changes.back().at;
    if (change.at < before) {
      words.refuse("changes of a drift must be in order of time");
    } else if (clock.changes.size() >= sim::kDriftChangesMax) {
      words.refuse(fmt::format("the drift of a clock changes {} times at most", sim::kDriftChangesMax));
    } else {
      clock.changes.push_back(change);
    }
  }

  void step(Words& words) {
    Step step;
    step.at = TrueTime{words.time("the time of a step").value};
    if (step.at < TrueTime{} || (!scenario_.steps.empty() && step.at < scenario_.steps.back().at)) {
      words.refuse("steps must be in order of time");
    }
    step.what = StepParser(scenario_, make_up_, last_sequence_).what(words);
    if (const auto* fault = std::get_if<FaultStep>(&step.what)) {
      check_victim(fault->kind, fault->process, words);
    } else if (const auto* leave = std::get_if<LeaveStep>(&step.what)) {
      left_.insert(leave->node);
      check_departures(words);
    }
    scenario_.steps.push_back(step);
  }

  void check_victim(FaultKind kind, NodeId victim, Words& words) {
    const bool is_whole_reference = !scenario_.system && !scenario_.is_of_directory_alone;
    if (kind == FaultKind::lost_for_good && !is_whole_reference) {
      words.refuse("only of the reference may anybody be lost for good");
    } else if (kind == FaultKind::lost_for_good) {
      lost_.insert(victim);
      for (const LossLimit& limit : loss_limits_of(scenario_.cluster)) {
        if (std::ranges::count_if(lost_, [&](NodeId it) { return limit.is_about(it); }) > limit.most) {
          words.refuse("too many are lost for good: a majority of the directory must stay, and one of each other role");
        }
      }
    }
    check_departures(words);
    const bool may_lose_disk =
        scenario_.system || (is_whole_reference && impl::Roles(scenario_.cluster).is_storage(victim));
    if (kind == FaultKind::disk_lost && !may_lose_disk) {
      words.refuse("only a storage node may lose its disk");
    }
  }

  void check_departures(Words& words) {
    std::set<NodeId> departed = left_;
    std::ranges::copy_if(lost_, std::inserter(departed, departed.end()),
                         [&](NodeId it) { return impl::Roles(scenario_.cluster).is_storage(it); });
    if (!left_.empty() && std::ssize(departed) > departures_max(scenario_.cluster)) {
      words.refuse("too many leave or are lost for good: as many storage nodes must stay as a replica set has members");
    }
  }

  void deviation(Words& words) {
    sim::Deviation deviation;
    const std::string_view name = words.word("the kind of message");
    const std::size_t kinds = scenario_.system ? scenario_.system->message_kinds.size() : impl::kMessageKinds;
    std::uint8_t kind = 0;
    while (kind < kinds && name_of_message(kind) != name) {
      ++kind;
    }
    if (kind == kinds || name.empty()) {
      words.refuse(fmt::format("'{}' is no kind of message", name.substr(0, 40)));
      return;
    }
    deviation.anchor.message_kind = kind;
    deviation.anchor.from = process(words, "the sender");
    words.take("->");
    deviation.anchor.to = process(words, "the receiver");
    std::string_view count = words.word("'#' and a number");
    Words one(count.starts_with('#') ? count.substr(1) : "?", "");
    deviation.anchor.count = static_cast<std::uint32_t>(one.whole_number("the number", 0, UINT32_MAX));
    if (one.error()) {
      words.refuse(fmt::format("'{}' must be '#' and a number, such as #0 for the first", count.substr(0, 40)));
    }
    deviation.kind = words.named<FaultKind>("fault", kFaultKinds);
    details(deviation, words);
    if (!anchors_.insert(deviation.anchor).second) {
      words.refuse("this message has a deviation already");
    }
    scenario_.deviations.push_back(deviation);
  }

  std::string_view name_of_message(std::uint8_t kind) const {
    return scenario_.system ? scenario_.system->message_kinds[kind] : impl::name_of_kind(kind);
  }

  void details(sim::Deviation& deviation, Words& words) {
    switch (deviation.kind) {
      case FaultKind::dropped: return;
      case FaultKind::held_until_phase:
        deviation.until_signal = static_cast<std::uint8_t>(words.named<MovePhase>("phase of a move", kMovePhases));
        return;
      case FaultKind::link_cut: {
        const std::string_view ways = words.word("'one_way' or 'both_ways'");
        deviation.is_both_ways = ways == "both_ways";
        if (!deviation.is_both_ways && ways != "one_way") {
          words.refuse(fmt::format("'{}' is neither 'one_way' nor 'both_ways'", ways.substr(0, 40)));
        }
        break;
      }
      case FaultKind::crashed:
      case FaultKind::disk_lost:
      case FaultKind::paused:
      case FaultKind::lost_for_good:
      case FaultKind::clock_shifted: deviation.moment = words.named<sim::Moment>("moment", sim::kMoments); break;
      case FaultKind::delayed:
      case FaultKind::duplicated: break;
    }
    if (deviation.kind != FaultKind::lost_for_good) {
      deviation.duration = words.time("the size of the deviation");
    }
    if (deviation.kind == FaultKind::clock_shifted) {
      check_clock_offset(scenario_, deviation.duration, words);
    } else if (deviation.duration < Duration{}) {
      words.refuse("only a shift of a clock can be negative");
    }
    const bool is_at_sender = deviation.moment == sim::Moment::after_sending;
    check_victim(deviation.kind, is_at_sender ? deviation.anchor.from : deviation.anchor.to, words);
    if (deviation.kind == FaultKind::crashed) {
      read_what_a_crash_leaves(words, scenario_.system.has_value(), deviation);
    }
  }

  Scenario scenario_;
  MakeUp make_up_;
  std::vector<std::uint32_t> last_sequence_;  // by ClientId
  std::set<sim::Anchor> anchors_;
  std::set<NodeId> lost_;       // for good
  std::set<NodeId> left_;       // or are told to
  std::set<std::string> said_;  // of the lines that come once
  bool has_header_ = false;
  bool has_cluster_ = false;
};

}  // namespace

Result<Scenario> parse_scenario(std::string_view text, std::string_view name) {
  ScenarioParser parser;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string where = fmt::format("{}:{}", name, ++number);
    if (number > kLinesMax) {
      return fail(where, fmt::format("a scenario has at most {} lines", kLinesMax));
    }
    Words words(line, where);
    if (words.is_empty() || line.starts_with('#')) {
      continue;
    }
    parser.line(words);
    if (words.error()) {
      return std::unexpected(*words.error());
    }
  }
  if (!parser.is_complete()) {
    return fail(std::string(name),
                "this is no whole scenario: 'scenario 1' and 'cluster ...' or 'system ...' must be there");
  }
  return parser.take();
}

}  // namespace shardcheck::harness
