// shardcheck check: judges recorded histories.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/check_report.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/printable.h"
#include "cli/reading_flags.h"
#include "cli/refusal.h"
#include "histories/checker.h"
#include "histories/formats.h"
#include "histories/picture.h"
#include "histories/stream_checker.h"

namespace shardcheck::cli {
namespace {

using Clock = std::chrono::steady_clock;
using histories::KeyVerdict;
using histories::Verdict;

struct CheckFlags {
  std::vector<std::string> files;
  histories::ReadOptions reading;
  double budget_seconds = 60;
  // Signed, because the parser would take -1 for the largest unsigned number.
  std::int64_t steps_max = static_cast<std::int64_t>(histories::CheckOptions{}.steps_max);
  std::uint64_t memory_bytes_max = histories::CheckOptions{}.memory_bytes_max;
  bool judges_all = false;  // also the keys behind the first that is violated
  bool as_json = false;
  bool as_stream = false;
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

// `budget` as reading left it: the memory is for the history and for judging a key.
void judge_keys(histories::Checker& checker, const CheckFlags& flags, const histories::ReadBudget& budget,
                Judged& judged) {
  judged.findings.availability = histories::availability_of(judged.history);
  histories::widen_intervals(judged.history, duration_of(flags.clock_error_seconds));
  const histories::CheckOptions options{
      .steps_max = static_cast<std::uint64_t>(flags.steps_max),
      .memory_bytes_max = flags.memory_bytes_max - std::min(flags.memory_bytes_max, budget.memory_bytes),
      .is_out_of_time = budget.is_out_of_time,
      .stops_at_first_violation = !flags.judges_all,
  };
  judged.report = checker.check(judged.history, options);
  classify_keys(judged.history, judged.report,
                {.is_out_of_time = options.is_out_of_time, .memory_bytes_max = options.memory_bytes_max},
                judged.findings);
}

Result<Judged> judge(histories::Checker& checker, const std::string& file, const CheckFlags& flags) {
  const Clock::time_point start = Clock::now();
  const auto seconds = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Progress progress(file);
  const auto is_out_of_time = [&] {
    progress.tick(seconds());
    return seconds() > flags.budget_seconds;
  };
  Judged judged{.file = file, .history = {}, .report = {}, .findings = {}, .stopped_at = {}, .pause_max = {}};
  if (flags.availability_seconds) {
    judged.pause_max = duration_of(*flags.availability_seconds);
  }
  histories::ReadBudget budget{.memory_bytes_max = flags.memory_bytes_max, .is_out_of_time = is_out_of_time};
  histories::ReadOptions reading = flags.reading;
  reading.budget = &budget;
  Result<histories::History> history = histories::read_history(file, reading);
  if (!history && budget.shortage == histories::Shortage::none) {
    return std::unexpected(history.error());
  }
  if (history) {
    judged.history = *std::move(history);
    judge_keys(checker, flags, budget, judged);
  } else {
    judged.report.verdict = Verdict::undecided;
    judged.reading_shortage = budget.shortage;
    judged.stopped_at = history.error().where;
  }
  judged.seconds = seconds();
  return judged;
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

ExitCode exit_of(bool is_violated, bool is_undecided) {
  if (is_violated) {
    return ExitCode::violated;
  }
  return is_undecided ? ExitCode::undecided : ExitCode::held;
}

Result<StreamJudged> judge_stream(const std::string& file, const CheckFlags& flags) {
  const Clock::time_point start = Clock::now();
  const auto seconds = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Progress progress(file);
  const histories::StreamOptions options{.steps_max = static_cast<std::uint64_t>(flags.steps_max),
                                         .memory_bytes_max = flags.memory_bytes_max,
                                         .is_out_of_time =
                                             [&] {
                                               progress.tick(seconds());
                                               return seconds() > flags.budget_seconds;
                                             },
                                         .stops_at_first_violation = !flags.judges_all};
  Result<std::unique_ptr<histories::ByteSource>> source =
      histories::ByteSource::of_file(file == "-" ? "/dev/stdin" : file);
  if (!source) {
    return std::unexpected(source.error());
  }
  const histories::ReadingRules rules{.nil_read_tells_nothing = flags.reading.nil_read_tells_nothing.value_or(false),
                                      .failed_cas_observes = flags.reading.failed_cas_observes.value_or(false)};
  Result<histories::StreamReport> report = check_stream(*std::move(source), file, rules, options);
  if (!report) {
    return std::unexpected(report.error());
  }
  return StreamJudged{.file = file, .report = *std::move(report), .seconds = seconds()};
}

// What looks at a whole history cannot be had of a stream.
Result<void> check_stream_flags(const CheckFlags& flags) {
  const histories::Format format = flags.reading.format.value_or(histories::Format::json_lines);
  if (format != histories::Format::json_lines || flags.reading.initial || flags.reading.has_independent_keys) {
    return fail("--stream", "only JSON lines are judged as a stream, and keys that are absent at first");
  }
  if (!flags.html.empty() || flags.availability_seconds || flags.clock_error_seconds != 0) {
    return fail("--stream", "--html, --availability and --clock-error need the whole history");
  }
  return {};
}

ExitCode run_stream(const CheckFlags& flags) {
  if (const Result<void> possible = check_stream_flags(flags); !possible) {
    return refuse(possible.error(), flags.as_json);
  }
  nlohmann::json rows = nlohmann::json::array();
  bool is_input_bad = false;
  Verdict worst = Verdict::linearizable;
  for (const std::string& file : flags.files) {
    const Result<StreamJudged> judged = judge_stream(file, flags);
    if (!judged) {
      fmt::print(stderr, "shardcheck: {}\n", printable(to_string(judged.error())));
      rows.push_back({{"file", file}, {"error", error_json(judged.error())}});
      is_input_bad = true;
      continue;
    }
    worst = worst == Verdict::not_linearizable || judged->report.verdict == Verdict::linearizable
                ? worst
                : judged->report.verdict;
    flags.as_json ? rows.push_back(row_of(*judged)) : print_text(*judged);
  }
  if (flags.as_json) {
    fmt::print("{}\n", rows.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  if (is_input_bad) {
    return ExitCode::bad_input;
  }
  return exit_of(worst == Verdict::not_linearizable, worst == Verdict::undecided);
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
      fmt::print(stderr, "shardcheck: {}\n", printable(to_string(judged.error())));
      rows.push_back({{"file", file}, {"error", error_json(judged.error())}});
      is_input_bad = true;
      continue;
    }
    is_violated |= judged->report.verdict == Verdict::not_linearizable || has_unavailable_key(*judged);
    is_undecided |= judged->report.verdict == Verdict::undecided;
    const bool is_drawn = !flags.html.empty() && judged->reading_shortage == histories::Shortage::none;
    const Result<void> drawn = !is_drawn ? Result<void>{} : write_picture(*judged, flags);
    if (flags.as_json) {
      rows.push_back(row_of(*judged));
    } else {
      print_text(*judged);
    }
    if (!drawn) {
      fmt::print(stderr, "shardcheck: {}\n", printable(to_string(drawn.error())));
      rows.push_back({{"file", flags.html}, {"error", error_json(drawn.error())}});
      is_input_bad = true;
    } else if (is_drawn && !flags.as_json) {
      fmt::print("  picture: {}\n", flags.html);
    }
  }
  if (flags.as_json) {
    fmt::print("{}\n", rows.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  return is_input_bad ? ExitCode::bad_input : exit_of(is_violated, is_undecided);
}

}  // namespace

void add_check(CLI::App& app, ExitCode& exit) {
  CLI::App* check = app.add_subcommand("check", "Judge recorded histories: is each linearizable?");
  auto flags = std::make_shared<CheckFlags>();
  check
      ->add_option("FILE", flags->files, "Histories as JSON lines, EDN or logs, plain or gzip; - is the standard input")
      ->required()
      ->check(not_empty());
  add_reading_flags(*check, flags->reading);
  check->add_flag("--json", flags->as_json, "Print a JSON array, an object for each file");
  check
      ->add_option("--html", flags->html,
                   "Write an HTML page with a picture of the history and of what contradicts in it")
      ->check([](const std::string& file) { return std::string(file.empty() ? "the name of a file is missing" : ""); });
  check
      ->add_option("--budget", flags->budget_seconds,
                   "Time for each file, such as 60s, 500ms or 2m; a bare number is seconds")
      ->transform(as_seconds())
      ->check(seconds_from(0))
      ->default_str("60s");
  check
      ->add_option("--clock-error", flags->clock_error_seconds,
                   "How far the clocks that gave the times may be off, such as 2ms: operations take effect at most so "
                   "much before or after what was recorded")
      ->transform(as_seconds())
      ->check(seconds_from(0));
  check
      ->add_option("--availability", flags->availability_seconds,
                   "Judge availability too: a key is violated when nothing of what was asked succeeded for longer than "
                   "this, such as 5s, or when nothing succeeds any more")
      ->transform(as_seconds())
      ->check(seconds_from(1e-9));
  check->add_option("--steps", flags->steps_max, "Steps of the search for each key")
      ->check(whole_number_from(0))
      ->capture_default_str();
  check
      ->add_option("--memory", flags->memory_bytes_max,
                   "Memory for the history and for judging a key of it, such as 512MiB or 1GiB")
      ->transform(CLI::AsSizeValue(false))
      ->transform(size_in_bytes())
      ->default_str("2GiB");
  check->add_flag("--all", flags->judges_all,
                  "Judge every key of a file; otherwise the first that is violated ends the work on the file");
  check->add_flag("--stream", flags->as_stream, "Judge JSON lines while they are read, for files longer than memory");
  check->callback([flags, &exit] { exit = flags->as_stream ? run_stream(*flags) : run_check(*flags); });
}

}  // namespace shardcheck::cli
