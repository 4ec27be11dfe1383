#include "harness/annotate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <variant>

#include "harness/describe.h"
#include "harness/workload.h"
#include "impl/directory_state.h"
#include "spec/wording.h"

namespace shardcheck::harness {
namespace {

constexpr std::size_t kRangesShown = 12;

// "1-3 storage nodes".
std::string numbers(int first, int count, std::string_view one, std::string_view many) {
  return count == 1 ? fmt::format("{} {}", first, one) : fmt::format("{}-{} {}", first, first + count - 1, many);
}

std::string processes_text(const Scenario& scenario) {
  const impl::ClusterOptions& cluster = scenario.cluster;
  std::string text = "# processes: " + numbers(0, cluster.directories, "the directory", "the directory's members");
  int next = cluster.directories;
  if (scenario.is_of_directory_alone) {
    return text + "; " + numbers(next, cluster.clients, "a client", "clients") + "\n";
  }
  const auto add = [&](int count, std::string_view one, std::string_view many) {
    text += "; " + numbers(next, count, one, many);
    next += count;
  };
  add(cluster.storage_nodes, "a storage node", "storage nodes");
  add(cluster.routers, "the router", "routers");
  add(cluster.movers, "the mover", "movers");
  return text + "\n";
}

std::string layout_text(const impl::ClusterOptions& cluster) {
  const std::vector<ShardRecord> records = impl::initial_records(cluster);
  std::string text = "# at first:";
  for (std::size_t i = 0; i < std::min(records.size(), kRangesShown); ++i) {
    const ShardRecord& record = records[i];
    std::string others;
    record.members.for_each([&](NodeId member) {
      others += member == record.owner ? "" : fmt::format("{}{}", others.empty() ? "" : " ", member.value);
    });
    text += fmt::format("{} {}, keys {}, is owned by {} under {}{}", i == 0 ? "" : ";", words(record.shard),
                        words(record.range), words(record.owner), words(record.epoch),
                        others.empty() ? "" : " and copied at " + others);
  }
  return text + (records.size() > kRangesShown ? "; and so on\n" : "\n");
}

// No line says them, but violations name them.
std::string closing_text(const Scenario& scenario) {
  std::map<std::uint16_t, std::uint32_t> last;
  for (const Step& step : scenario.steps) {
    if (const auto* client = std::get_if<ClientStep>(&step.what)) {
      std::uint32_t& sequence = last[client->request.client.value];
      sequence = std::max(sequence, client->request.sequence);
    }
  }
  std::string asked;
  for (const auto& [client, sequence] : last) {
    asked += fmt::format("requests {} and later of client {}, ", sequence_after(sequence), client);
  }
  const std::size_t clients = scenario.system ? scenario.system->clients : scenario.cluster.clients;
  if (last.size() == clients) {
    asked.erase(asked.size() - 2);
  } else {
    asked +=
        fmt::format("requests {} and later of {} client", sequence_after(0), last.empty() ? "each" : "every other");
  }
  return fmt::format(
      "# then, as at the end of every run, all faults end, and the clients read every key and write to each range: "
      "{}\n",
      asked);
}

}  // namespace

void FaultListener::line(TrueTime at, const std::string& text) {
  if (next_ != nullptr) {
    next_->line(at, text);
  }
}

void FaultListener::struck(TrueTime at, NodeId process, const sim::Deviation& deviation, const std::string& part) {
  struck_.emplace_back(deviation, fmt::format("at {}{}{}", words(at), part.empty() ? "" : "; ", part));
  if (next_ != nullptr) {
    next_->struck(at, process, deviation, part);
  }
}

void FaultListener::happened(const Observed& observed) {
  if (next_ != nullptr) {
    next_->happened(observed);
  }
}

std::string FaultListener::words_of(const sim::Deviation& deviation) const {
  const auto found = std::ranges::find(struck_, deviation, &std::pair<sim::Deviation, std::string>::first);
  return found == struck_.end() ? "" : found->second;
}

std::string described(const Scenario& scenario, const sim::Deviation& deviation, const FaultListener& faults) {
  const std::string when = faults.words_of(deviation);
  return describe(wording_of(scenario), deviation) + (when.empty() ? "; it never came to that" : ", " + when);
}

std::string annotated_text(const Scenario& scenario, const FaultListener& faults) {
  const Wording wording = wording_of(scenario);
  const std::string plain = to_text(scenario);
  std::string text;
  std::size_t deviations = 0;
  std::size_t steps = 0;
  for (std::size_t begin = 0; begin < plain.size();) {
    const std::size_t end = plain.find('\n', begin) + 1;
    const std::string_view line = std::string_view(plain).substr(begin, end - begin);
    text += line;
    begin = end;
    if (line.starts_with("network ") && !scenario.system) {
      text += processes_text(scenario);
      text += scenario.is_of_directory_alone ? "" : layout_text(scenario.cluster);
    } else if (line.starts_with("at ")) {
      const Step& step = scenario.steps[steps++];
      const bool is_fault = std::holds_alternative<FaultStep>(step.what);
      text += is_fault ? fmt::format("#   {}\n", describe(wording, step)) : "";
    } else if (line.starts_with("on ")) {
      text += fmt::format("#   {}\n", described(scenario, scenario.deviations[deviations++], faults));
    }
  }
  return text + closing_text(scenario);
}

}  // namespace shardcheck::harness
