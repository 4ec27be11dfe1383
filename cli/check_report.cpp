#include "cli/check_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/flags.h"
#include "cli/printable.h"

namespace shardcheck::cli {
namespace {

using histories::KeyVerdict;
using histories::Shortage;
using histories::Verdict;

// Which budget ran out, and the flag that gives more of it.
std::string_view reason_of(Shortage shortage) {
  switch (shortage) {
    case Shortage::none: return "";
    case Shortage::steps: return "it took more steps than --steps allows";
    case Shortage::memory: return "it needed more memory than --memory allows";
    case Shortage::time: return "the time of --budget was up";
  }
  return "";
}

// A key that is a string is shown as it is, without JSON's quotes.
std::string key_text(const Judged& judged, histories::ValueId key) {
  const histories::ValueTable& values = judged.history.values;
  if (key == histories::kAbsent) {
    return "all keys together";
  }
  return values.kind(key) == histories::StoredKind::string ? std::string(values.string_of(key)) : values.to_text(key);
}

// Dead keys always, long pauses when they were asked about.
void print_availability(const Judged& judged) {
  for (const histories::KeyAvailability& key : judged.findings.availability) {
    const bool is_too_long = judged.pause_max && is_unavailable(key, *judged.pause_max);
    const std::optional<histories::Outage>& outage = key.dead ? key.dead : key.longest;
    if (key.dead || is_too_long) {
      fmt::print("  {}: {}: {}\n", printable(key_text(judged, key.key)), key.dead ? "dead" : "unavailable",
                 printable(text_of(judged.history, *outage)));
    }
  }
}

void print_unjudged(std::uint64_t unjudged, std::uint64_t keys) {
  if (unjudged != 0) {
    fmt::print("  {} of {} {} not judged: the first that is violated ended the work; --all judges every key\n",
               unjudged, counted(keys, "key"), unjudged == 1 ? "was" : "were");
  }
}

// Without their indentation.
void add_lines(std::string_view text, std::vector<std::string>& lines) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    lines.emplace_back(line.substr(std::min(line.size(), line.find_first_not_of(' '))));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
}

constexpr std::string_view kUnexplained =
    "why was not found out within --budget, --steps and --memory; the verdict does not depend on it";

// Transactions are never explained.
bool is_left_unexplained(const KeyVerdict& key) {
  return key.verdict == Verdict::not_linearizable && !key.explanation && key.key != histories::kAbsent;
}

// Of the key in this place of the report.
std::string classified_text(const Judged& judged, std::size_t place) {
  const std::optional<histories::Classification>& classified = judged.findings.classified[place];
  if (!classified) {
    return "";
  }
  if (classified->shortage != Shortage::none) {
    return fmt::format("    what else is wrong was not counted: {}\n", reason_of(classified->shortage));
  }
  return text_of(*classified);
}

// Of the key in this place of the report.
nlohmann::json row_of_key(const Judged& judged, std::size_t place) {
  const KeyVerdict& key = judged.report.keys[place];
  nlohmann::json row{{"key", key_text(judged, key.key)},
                     {"verdict", name_of(key.verdict)},
                     {"method", key.method},
                     {"operations", key.operations},
                     {"steps", key.steps}};
  if (key.explanation) {
    row["explanation"] = to_json(judged.history, *key.explanation);
  }
  if (key.reached) {
    row["reached"] = to_json(*key.reached);
  }
  if (is_left_unexplained(key)) {
    row["unexplained"] = kUnexplained;
  }
  if (const auto& classified = judged.findings.classified[place]) {
    row["classification"] = to_json(*classified);
    if (classified->shortage != Shortage::none) {
      row["classification"]["reason"] = reason_of(classified->shortage);
    }
  }
  // It has all keys of the history, also those that the report has not.
  if (key.key != histories::kAbsent) {
    row["availability"] = to_json(judged.history, judged.findings.availability[key.number]);
  }
  if (key.verdict == Verdict::undecided) {
    row["reason"] = reason_of(key.shortage);
  }
  return row;
}

}  // namespace

bool has_unavailable_key(const Judged& judged) {
  return judged.pause_max && std::ranges::any_of(judged.findings.availability, [&](const auto& key) {
           return is_unavailable(key, *judged.pause_max);
         });
}

void print_text(const Judged& judged) {
  const std::uint64_t keys = judged.report.keys.size() + judged.report.keys_not_judged;
  fmt::print("{}: {} ({}, {}, {:.2f} s)\n", judged.file, name_of(judged.report.verdict),
             counted(judged.report.operations, "operation"), counted(keys, "key"), judged.seconds);
  if (judged.reading_shortage != Shortage::none) {
    fmt::print("  nothing was judged: while reading {}, {}\n", judged.stopped_at, reason_of(judged.reading_shortage));
  }
  for (std::size_t i = 0; i < judged.report.keys.size(); ++i) {
    const KeyVerdict& key = judged.report.keys[i];
    if (key.verdict == Verdict::linearizable) {
      continue;
    }
    fmt::print("  {}: {}", printable(key_text(judged, key.key)), name_of(key.verdict));
    if (key.explanation) {
      fmt::print(": {}", printable(key.explanation->sentence));
    }
    if (const std::string_view reason = reason_of(key.shortage); !reason.empty()) {
      fmt::print(": {}", reason);
    }
    if (is_left_unexplained(key)) {
      fmt::print(": {}", kUnexplained);
    }
    fmt::print("\n{}{}{}", key.explanation ? text_of(judged.history, *key.explanation) : "",
               key.reached ? text_of(*key.reached) : "", classified_text(judged, i));
  }
  print_unjudged(judged.report.keys_not_judged, keys);
  print_availability(judged);
}

void print_text(const StreamJudged& judged) {
  const histories::StreamReport& report = judged.report;
  const std::uint64_t keys = report.keys.size() + report.keys_not_judged;
  fmt::print("{}: {} ({}, {}, {:.2f} s, as a stream, at most {} kept)\n", judged.file, name_of(report.verdict),
             counted(report.operations, "operation"), counted(keys, "key"), judged.seconds,
             counted(report.operations_kept_max, "operation"));
  for (const histories::StreamedKey& key : report.keys) {
    if (key.verdict == Verdict::linearizable) {
      continue;
    }
    fmt::print("  {}: {}", printable(key.key), name_of(key.verdict));
    if (key.unexplained_line != 0) {
      fmt::print(": what returned at line {} cannot be explained", key.unexplained_line);
    }
    if (!key.sentence.empty()) {
      fmt::print(": {}", printable(key.sentence));
    }
    if (key.verdict == Verdict::undecided) {
      fmt::print(": {}", reason_of(key.shortage));
    }
    fmt::print("\n");
  }
  print_unjudged(report.keys_not_judged, keys);
  if (report.shortage != histories::Shortage::none) {
    fmt::print("  nothing behind line {} was read: {}\n", report.stopped_at_line, reason_of(report.shortage));
  } else if (report.stopped_at_line != 0) {
    fmt::print("  nothing behind line {} was read: --all reads to the end\n", report.stopped_at_line);
  }
  if (report.verdict == Verdict::not_linearizable) {
    fmt::print("  check it without --stream for all operations that contradict, what still holds, and a picture\n");
  }
}

nlohmann::json row_of(const StreamJudged& judged) {
  nlohmann::json keys = nlohmann::json::array();
  for (const histories::StreamedKey& key : judged.report.keys) {
    nlohmann::json row{
        {"key", key.key}, {"verdict", name_of(key.verdict)}, {"operations", key.operations}, {"cuts", key.cuts}};
    if (key.unexplained_line != 0) {
      row["unexplained_line"] = key.unexplained_line;
    }
    if (!key.sentence.empty()) {
      row["sentence"] = key.sentence;
    }
    if (key.verdict == Verdict::undecided) {
      row["reason"] = reason_of(key.shortage);
    }
    keys.push_back(std::move(row));
  }
  nlohmann::json row{{"file", judged.file},
                     {"verdict", name_of(judged.report.verdict)},
                     {"operations", judged.report.operations},
                     {"operations_kept_max", judged.report.operations_kept_max},
                     {"keys_not_judged", judged.report.keys_not_judged},
                     {"stopped_at_line", judged.report.stopped_at_line},
                     {"seconds", judged.seconds},
                     {"keys", std::move(keys)}};
  if (judged.report.shortage != histories::Shortage::none) {
    row["reason"] = reason_of(judged.report.shortage);
  }
  return row;
}

nlohmann::json row_of(const Judged& judged) {
  nlohmann::json keys = nlohmann::json::array();
  std::size_t place = 0;
  for (std::uint32_t number = 0; number < judged.findings.availability.size(); ++number) {
    if (place < judged.report.keys.size() && judged.report.keys[place].number == number) {
      keys.push_back(row_of_key(judged, place++));
    } else if (judged.report.keys_not_judged != 0) {
      const histories::KeyAvailability& key = judged.findings.availability[number];
      keys.push_back({{"key", key_text(judged, key.key)},
                      {"verdict", "not_judged"},
                      {"operations", key.operations},
                      {"availability", to_json(judged.history, key)}});
    }
  }
  for (; place < judged.report.keys.size(); ++place) {  // transactions, which are of no key
    keys.push_back(row_of_key(judged, place));
  }
  nlohmann::json row{{"file", judged.file},
                     {"verdict", name_of(judged.report.verdict)},
                     {"operations", judged.report.operations},
                     {"seconds", judged.seconds},
                     {"is_unavailable", has_unavailable_key(judged)},
                     {"keys_not_judged", judged.report.keys_not_judged},
                     {"keys", std::move(keys)}};
  if (judged.reading_shortage != Shortage::none) {
    row["reason"] = reason_of(judged.reading_shortage);
    row["stopped_at"] = judged.stopped_at;
  }
  return row;
}

std::vector<std::string> remarks_on(const Judged& judged, const KeyVerdict& key) {
  std::vector<std::string> remarks;
  if (const std::string_view reason = reason_of(key.shortage); !reason.empty()) {
    remarks.emplace_back(reason);
  }
  if (key.explanation) {
    add_lines(text_of(judged.history, *key.explanation), remarks);
  }
  if (key.reached) {
    add_lines(text_of(*key.reached), remarks);
  }
  if (is_left_unexplained(key)) {
    remarks.emplace_back(kUnexplained);
  }
  const auto row = std::ranges::find(judged.report.keys, key.key, &KeyVerdict::key) - judged.report.keys.begin();
  add_lines(classified_text(judged, static_cast<std::size_t>(row)), remarks);
  return remarks;
}

}  // namespace shardcheck::cli
