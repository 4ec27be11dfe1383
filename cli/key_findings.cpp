#include "cli/key_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cli/flags.h"
#include "histories/key_history.h"
#include "spec/wording.h"

namespace shardcheck::cli {
namespace {

using histories::Classification;
using histories::Explanation;
using histories::History;
using histories::Holds;
using histories::LinearizablePrefix;
using histories::Outage;
using histories::Tally;

struct NamedTally {
  const char* name;  // in JSON
  const char* one;   // in text
  const char* many;
  const Tally& tally;
};

std::vector<NamedTally> tallies_of(const Classification& classified) {
  const Classification& c = classified;
  return {
      {"stale_reads", "stale read", "stale reads", c.stale_reads},
      {"resurrected_deletes", "resurrected delete", "resurrected deletes", c.resurrected_deletes},
      {"reads_backwards", "read older than one before it of the same process",
       "reads older than one before them of the same process", c.reads_backwards},
      {"own_writes_missed", "read that misses a write of the same process",
       "reads that miss a write of the same process", c.own_writes_missed},
      {"lost_writes", "lost write", "lost writes", c.lost_writes},
      {"lost_appends", "lost append", "lost appends", c.lost_appends},
      {"lost_increments", "lost increment", "lost increments", c.lost_increments},
      {"duplicated_appends", "duplicated append", "duplicated appends", c.duplicated_appends},
      {"duplicated_increments", "duplicated increment", "duplicated increments", c.duplicated_increments},
      {"never_written", "read of what nobody had written by then", "reads of what nobody had written by then",
       c.never_written},
      {"never_there", "cas from a value that was never there", "cas from values that were never there", c.never_there}};
}

// The lines of a long explanation say little.
constexpr std::size_t kLinesMax = 16;

// Of what was answered later than the one that cannot be explained, only the asking has a part in it.
std::string lines_of(const History& history, const Explanation& explanation) {
  const std::span<const std::uint32_t> operations = explanation.contradiction;
  std::string lines;
  for (const std::uint32_t index : operations.first(std::min(operations.size(), kLinesMax))) {
    const histories::RecordedOperation& operation = history.operations[index];
    lines += fmt::format("{}{}", lines.empty() ? "" : "; ", operation.invoke_line);
    lines += operation.has_returned() && operation.return_line <= explanation.line
                 ? fmt::format(" and {}", operation.return_line)
                 : "";
  }
  return operations.size() > kLinesMax ? fmt::format("{} and {} more", lines, operations.size() - kLinesMax) : lines;
}

// Recorded times may be of any unit: what is less than a microsecond is not called "0.000 ms".
std::string span_words(Duration span) { return span.value < 1'000 ? fmt::format("{} ns", span.value) : words(span); }

std::string answers_until(const LinearizablePrefix& prefix) {
  switch (prefix.answers) {
    case 0: return "none of its answers";
    case 1: return fmt::format("its first answer, at line {},", prefix.last_line);
    default: return fmt::format("its first {} answers, until line {},", prefix.answers, prefix.last_line);
  }
}

}  // namespace

void classify_keys(const History& history, const histories::CheckReport& report,
                   const histories::ClassifyBudget& budget, KeyFindings& findings) {
  findings.classified.assign(report.keys.size(), std::nullopt);
  if (report.count(histories::Verdict::not_linearizable) == 0) {
    return;
  }
  histories::Partition partition;
  partition.cut(history);
  histories::KeyHistory whole;
  for (std::size_t key = 0; key < report.keys.size(); ++key) {
    const bool is_one_key = report.keys[key].key != histories::kAbsent;
    if (is_one_key && report.keys[key].verdict == histories::Verdict::not_linearizable) {
      partition.key_history(report.keys[key].number, whole);
      findings.classified[key] = classify(history, whole, budget);
    }
  }
}

bool is_unavailable(const histories::KeyAvailability& key, Duration longest_allowed) {
  return key.dead || (key.longest && key.longest->length() > longest_allowed);
}

std::string text_of(const History& history, const Explanation& explanation) {
  const std::string lines = lines_of(history, explanation);
  return explanation.is_first ? fmt::format("    {} can be explained; contradictory: lines {}\n",
                                            answers_until(explanation.prefix), lines)
                              : fmt::format(
                                    "    contradictory: lines {}; whether something before it cannot be "
                                    "explained either was not found out\n",
                                    lines);
}

std::string text_of(const LinearizablePrefix& reached) {
  if (reached.answers == 0) {
    return "    nothing is known about any of its answers\n";
  }
  return fmt::format("    {} {} linearizable; about the others nothing is known\n", answers_until(reached),
                     reached.answers == 1 ? "is" : "are");
}

std::string text_of(const Classification& classified) {
  std::string text = fmt::format("    sequentially consistent: {}, monotonic reads: {}, reads its own writes: {}\n",
                                 name_of(classified.is_sequential), name_of(classified.has_monotonic_reads),
                                 name_of(classified.reads_its_writes));
  if (classified.untold != histories::Untold::nothing) {
    text += fmt::format("    nothing else was counted: {}\n", name_of(classified.untold));
  }
  std::string counts;
  for (const auto& [name, one, many, tally] : tallies_of(classified)) {
    if (tally.count != 0) {
      counts += fmt::format("{}{} {} (line {})", counts.empty() ? "    " : ", ", tally.count,
                            tally.count == 1 ? one : many, tally.line);
    }
  }
  text += counts.empty() ? "" : counts + "\n";
  const histories::Staleness& worst = classified.worst;
  if (worst.time_line != 0) {
    text += fmt::format("    stalest: by {} (line {}), by {} (line {})\n", span_words(worst.time), worst.time_line,
                        counted(worst.versions, "version"), worst.versions_line);
  }
  return text;
}

std::string text_of(const History& history, const Outage& outage) {
  return fmt::format("nothing succeeded for {}, from {} {}, though {} waited ({}of process {}, at line {})",
                     words(outage.length()), words(outage.begin),
                     outage.is_final ? std::string("to the end") : "to " + words(outage.end),
                     counted(outage.operations, "operation"), outage.operations == 1 ? "" : "the first, ",
                     history.values.to_text(history.operations[outage.operation].process),
                     history.operations[outage.operation].invoke_line);
}

nlohmann::json to_json(const LinearizablePrefix& prefix) {
  return {{"answers", prefix.answers}, {"last_line", prefix.last_line}, {"ends_at", prefix.ends_at.value}};
}

nlohmann::json to_json(const History& history, const Explanation& explanation) {
  nlohmann::json operations = nlohmann::json::array();
  constexpr std::size_t kOperationsMax = 1'000;
  for (const std::uint32_t index :
       std::span(explanation.contradiction).first(std::min(explanation.contradiction.size(), kOperationsMax))) {
    const histories::RecordedOperation& operation = history.operations[index];
    operations.push_back(
        {{"f", name_of(operation.kind)},
         {"invoke_line", operation.invoke_line},
         {"return_line", operation.has_returned() ? nlohmann::json(operation.return_line) : nlohmann::json(nullptr)}});
  }
  return {{"line", explanation.line},
          {"sentence", explanation.sentence},
          {"linearizable_prefix", to_json(explanation.prefix)},
          {"is_first", explanation.is_first},
          {"contradiction", std::move(operations)},
          {"contradiction_size", explanation.contradiction.size()},
          {"is_minimal", explanation.is_minimal},
          {"window", {{"begin", explanation.window_begin.value}, {"end", explanation.window_end.value}}}};
}

nlohmann::json to_json(const Classification& classified) {
  nlohmann::json row{{"sequential", name_of(classified.is_sequential)},
                     {"monotonic_reads", name_of(classified.has_monotonic_reads)},
                     {"read_your_writes", name_of(classified.reads_its_writes)},
                     {"worst_staleness",
                      {{"nanoseconds", classified.worst.time.value},
                       {"nanoseconds_line", classified.worst.time_line},
                       {"versions", classified.worst.versions},
                       {"versions_line", classified.worst.versions_line}}}};
  if (classified.untold != histories::Untold::nothing) {
    row["not_counted"] = name_of(classified.untold);
  }
  for (const auto& [name, one, many, tally] : tallies_of(classified)) {
    row[name] = {{"count", tally.count}, {"line", tally.line}};
  }
  return row;
}

nlohmann::json to_json(const History& history, const histories::KeyAvailability& key) {
  const auto outage_json = [&](const std::optional<Outage>& outage) -> nlohmann::json {
    if (!outage) {
      return nullptr;
    }
    return {{"begin", outage->begin.value},
            {"end", outage->end.value},
            {"nanoseconds", outage->length().value},
            {"operations", outage->operations},
            {"process", history.values.to_text(history.operations[outage->operation].process)},
            {"line", history.operations[outage->operation].invoke_line},
            {"to_the_end", outage->is_final}};
  };
  return {{"operations", key.operations},
          {"successes", key.successes},
          {"longest_without_success", outage_json(key.longest)},
          {"dead", outage_json(key.dead)}};
}

}  // namespace shardcheck::cli
