// shardcheck check: judges recorded histories.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/key_findings.h"
#include "cli/reading_flags.h"
#include "cli/refusal.h"
#include "histories/checker.h"
#include "histories/formats.h"
#include "histories/picture.h"

namespace shardcheck::cli {
namespace {

using Clock = std::chrono::steady_clock;
using histories::KeyVerdict;
using histories::Verdict;

// A century: nanoseconds of it are far from what 64 bits hold.
constexpr double kSecondsMax = 3.2e9;

struct CheckFlags {
  std::vector<std::string> files;
  histories::ReadOptions reading;
  double budget_seconds = 60;
  // Signed, because the parser would take -1 for the largest unsigned number.
  std::int64_t steps_max = static_cast<std::int64_t>(histories::CheckOptions{}.steps_max);
  std::uint64_t memory_bytes_max = histories::CheckOptions{}.memory_bytes_max;
  bool stops_at_first = false;
  bool as_json = false;
  double clock_error_seconds = 0;
  std::optional<double> availability_seconds;  // the longest time without a success that is allowed
  std::string html;                            // where the picture goes; empty: nowhere
};

Duration duration_of(double seconds) { return Duration{static_cast<std::int64_t>(seconds * 1e9)}; }

// On a terminal, one line that says for how long a file has been judged; rewritten at most twice a second.
class Progress {
 public:
  explicit Progress(std::string file) : file_(std::move(file)), is_shown_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (is_visible_) {
      fmt::print(stderr, "\r\033[K");
    }
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void tick(double seconds) {
    if (is_shown_ && seconds >= next_) {
      fmt::print(stderr, "\r{}: judging for {:.0f} s", file_, seconds);
      is_visible_ = true;
      next_ = seconds + 0.5;
    }
  }

 private:
  std::string file_;
  bool is_shown_;
  bool is_visible_ = false;
  double next_ = 2;
};

struct Judged {
  std::string file;
  histories::History history;
  histories::CheckReport report;
  KeyFindings findings;
  double seconds = 0;
};

Result<Judged> judge(histories::Checker& checker, const std::string& file, const CheckFlags& flags) {
  const Clock::time_point start = Clock::now();
  const auto seconds = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Result<histories::History> history = histories::read_history(file, flags.reading);
  if (!history) {
    return std::unexpected(history.error());
  }
  KeyFindings findings{.availability = histories::availability_of(*history), .classified = {}};
  histories::widen_intervals(*history, duration_of(flags.clock_error_seconds));
  Progress progress(file);
  const histories::CheckOptions options{
      .steps_max = static_cast<std::uint64_t>(flags.steps_max),
      .memory_bytes_max = flags.memory_bytes_max,
      .is_out_of_time =
          [&] {
            progress.tick(seconds());
            return seconds() > flags.budget_seconds;
          },
      .stops_at_first_violation = flags.stops_at_first,
  };
  histories::CheckReport report = checker.check(*history, options);
  classify_keys(*history, report, options.is_out_of_time, findings);
  return Judged{file, std::move(*history), std::move(report), std::move(findings), seconds()};
}

// Recordings come from anywhere: what would steer a terminal is shown by its number. Everything else stays as it is.
std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto after = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_c1 = byte == 0xc2 && after >= 0x80 && after < 0xa0;
    if (byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else if (is_c1) {
      shown += fmt::format("\\x{:02x}", after);
      ++i;
    } else {
      shown += text[i];
    }
  }
  return shown;
}

// Which budget ran out, and the flag that gives more of it.
std::string_view reason_of(const KeyVerdict& key) {
  switch (key.shortage) {
    case histories::Shortage::none: return "";
    case histories::Shortage::steps: return "it took more steps than --steps allows";
    case histories::Shortage::memory: return "it needed more memory than --memory allows";
    case histories::Shortage::time: return "the time of --budget was up";
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

bool has_unavailable_key(const Judged& judged, const CheckFlags& flags) {
  return flags.availability_seconds && std::ranges::any_of(judged.findings.availability, [&](const auto& key) {
           return is_unavailable(key, duration_of(*flags.availability_seconds));
         });
}

// Dead keys always, long pauses when they were asked about.
void print_availability(const Judged& judged, const CheckFlags& flags) {
  for (const histories::KeyAvailability& key : judged.findings.availability) {
    const bool is_too_long =
        flags.availability_seconds && is_unavailable(key, duration_of(*flags.availability_seconds));
    const std::optional<histories::Outage>& outage = key.dead ? key.dead : key.longest;
    if (key.dead || is_too_long) {
      fmt::print("  {}: {}: {}\n", printable(key_text(judged, key.key)), key.dead ? "dead" : "unavailable",
                 printable(text_of(judged.history, *outage)));
    }
  }
}

void print_text(const Judged& judged, const CheckFlags& flags) {
  fmt::print("{}: {} ({} operations, {} keys, {:.2f} s)\n", judged.file, name_of(judged.report.verdict),
             judged.report.operations, judged.report.keys.size(), judged.seconds);
  for (std::size_t i = 0; i < judged.report.keys.size(); ++i) {
    const KeyVerdict& key = judged.report.keys[i];
    if (key.verdict == Verdict::linearizable) {
      continue;
    }
    fmt::print("  {}: {}", printable(key_text(judged, key.key)), name_of(key.verdict));
    if (key.explanation) {
      fmt::print(": {}", printable(key.explanation->sentence));
    }
    if (const std::string_view reason = reason_of(key); !reason.empty()) {
      fmt::print(": {}", reason);
    }
    fmt::print("\n{}{}{}", key.explanation ? text_of(judged.history, *key.explanation) : "",
               key.reached ? text_of(*key.reached) : "",
               judged.findings.classified[i] ? text_of(*judged.findings.classified[i]) : "");
  }
  print_availability(judged, flags);
}

// Without their indentation.
void add_lines(std::string_view text, std::vector<std::string>& lines) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    lines.emplace_back(line.substr(std::min(line.size(), line.find_first_not_of(' '))));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
}

// What the picture says about a key beside its explanation.
std::vector<std::string> remarks_on(const Judged& judged, const KeyVerdict& key) {
  std::vector<std::string> remarks;
  if (const std::string_view reason = reason_of(key); !reason.empty()) {
    remarks.emplace_back(reason);
  }
  if (key.explanation) {
    add_lines(text_of(judged.history, *key.explanation), remarks);
  }
  if (key.reached) {
    add_lines(text_of(*key.reached), remarks);
  }
  const auto row = std::ranges::find(judged.report.keys, key.key, &KeyVerdict::key) - judged.report.keys.begin();
  if (const auto& classified = judged.findings.classified[static_cast<std::size_t>(row)]) {
    add_lines(text_of(*classified), remarks);
  }
  return remarks;
}

Result<void> write_picture(const Judged& judged, const CheckFlags& flags) {
  const histories::PictureOptions options{.title = std::filesystem::path(judged.file).filename().string(),
                                          .remarks = [&](const KeyVerdict& key) { return remarks_on(judged, key); }};
  const std::filesystem::path path(flags.html);
  const Result<std::string> written =
      write_text_file(path.has_parent_path() ? path.parent_path().string() : ".", path.filename().string(),
                      histories::picture_of(judged.history, judged.report, options));
  return written ? Result<void>{} : std::unexpected(written.error());
}

// What a run cannot do is said before its work.
Result<void> check_picture(const CheckFlags& flags) {
  if (flags.html.empty()) {
    return {};
  }
  if (flags.files.size() != 1) {
    return fail("--html", fmt::format("a picture is of one history, and {} files are given", flags.files.size()));
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(flags.html, flags.files.front(), ignored)) {
    return fail("--html", "this is the history itself, which a picture must not replace");
  }
  return check_writable_file(flags.html);
}

nlohmann::json row_of(const Judged& judged, const CheckFlags& flags) {
  nlohmann::json keys = nlohmann::json::array();
  for (std::size_t i = 0; i < judged.report.keys.size(); ++i) {
    const KeyVerdict& key = judged.report.keys[i];
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
    if (judged.findings.classified[i]) {
      row["classification"] = to_json(*judged.findings.classified[i]);
    }
    // Its keys are the report's, and those behind when it stopped at the first that is violated.
    if (key.key != histories::kAbsent) {
      row["availability"] = to_json(judged.history, judged.findings.availability[i]);
    }
    if (key.verdict == Verdict::undecided) {
      row["reason"] = reason_of(key);
    }
    keys.push_back(std::move(row));
  }
  return {{"file", judged.file},
          {"verdict", name_of(judged.report.verdict)},
          {"operations", judged.report.operations},
          {"seconds", judged.seconds},
          {"is_unavailable", has_unavailable_key(judged, flags)},
          {"keys", std::move(keys)}};
}

ExitCode run_check(const CheckFlags& flags) {
  if (const Result<void> possible = check_picture(flags); !possible) {
    return refuse(possible.error(), flags.as_json);
  }
  histories::Checker checker;
  nlohmann::json rows = nlohmann::json::array();
  bool is_input_bad = false;
  bool is_violated = false;
  bool is_undecided = false;
  for (const std::string& file : flags.files) {
    const Result<Judged> judged = judge(checker, file, flags);
    if (!judged) {
      fmt::print(stderr, "shardcheck: {}\n", to_string(judged.error()));
      rows.push_back({{"file", file}, {"error", error_json(judged.error())}});
      is_input_bad = true;
      continue;
    }
    is_violated |= judged->report.verdict == Verdict::not_linearizable || has_unavailable_key(*judged, flags);
    is_undecided |= judged->report.verdict == Verdict::undecided;
    const Result<void> drawn = flags.html.empty() ? Result<void>{} : write_picture(*judged, flags);
    if (flags.as_json) {
      rows.push_back(row_of(*judged, flags));
    } else {
      print_text(*judged, flags);
    }
    if (!drawn) {
      fmt::print(stderr, "shardcheck: {}\n", to_string(drawn.error()));
      rows.push_back({{"file", flags.html}, {"error", error_json(drawn.error())}});
      is_input_bad = true;
    } else if (!flags.html.empty() && !flags.as_json) {
      fmt::print("  picture: {}\n", flags.html);
    }
  }
  if (flags.as_json) {
    fmt::print("{}\n", rows.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  if (is_input_bad) {
    return ExitCode::bad_input;
  }
  if (is_violated) {
    return ExitCode::violated;
  }
  return is_undecided ? ExitCode::undecided : ExitCode::held;
}

}  // namespace

void add_check(CLI::App& app, ExitCode& exit) {
  CLI::App* check = app.add_subcommand("check", "Judge recorded histories: is each linearizable?");
  auto flags = std::make_shared<CheckFlags>();
  check->add_option("FILE", flags->files, "Histories as JSON lines, EDN or logs, plain or gzip")->required();
  add_reading_flags(*check, flags->reading);
  check->add_flag("--json", flags->as_json, "Print a JSON array, an object for each file");
  const std::map<std::string, double> units{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 0.001},
                                            {"s", 1},     {"m", 60},    {"h", 3600}};
  check
      ->add_option("--html", flags->html,
                   "Write an HTML page with a picture of the history and of what contradicts in it")
      ->check([](const std::string& file) { return std::string(file.empty() ? "the name of a file is missing" : ""); });
  check
      ->add_option("--budget", flags->budget_seconds,
                   "Time for each file, such as 60s, 500ms or 2m; a bare number is seconds")
      ->transform(CLI::AsNumberWithUnit(units))
      ->check(CLI::NonNegativeNumber)
      ->default_str("60s");
  check
      ->add_option("--clock-error", flags->clock_error_seconds,
                   "How far the clocks that gave the times may be off, such as 2ms: operations take effect at most so "
                   "much before or after what was recorded")
      ->transform(CLI::AsNumberWithUnit(units))
      ->check(CLI::Range(0.0, kSecondsMax));
  check
      ->add_option("--availability", flags->availability_seconds,
                   "Judge availability too: a key is violated when nothing of what was asked succeeded for longer than "
                   "this, such as 5s, or when nothing succeeds any more")
      ->transform(CLI::AsNumberWithUnit(units))
      ->check(CLI::Range(0.0, kSecondsMax));
  check->add_option("--steps", flags->steps_max, "Steps of the search for each key")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  check->add_option("--memory", flags->memory_bytes_max, "Memory for judging each key, such as 512MiB or 1GiB")
      ->transform(CLI::AsSizeValue(false))
      ->transform(
          CLI::Validator([](std::string& text) { return std::string(text.starts_with('-') ? "negative" : ""); }, ""))
      ->default_str("2GiB");
  check->add_flag("!--all,--first", flags->stops_at_first,
                  "Stop at the first key that is violated; --all, the default, judges every key");
  check->callback([flags, &exit] { exit = run_check(*flags); });
}

}  // namespace shardcheck::cli
