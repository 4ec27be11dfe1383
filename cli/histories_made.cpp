// shardcheck generate-history and shardcheck convert: write histories.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/flags.h"
#include "cli/reading_flags.h"
#include "cli/refusal.h"
#include "histories/formats.h"
#include "histories/history_generator.h"
#include "histories/history_writer.h"

namespace shardcheck::cli {
namespace {

using histories::Format;
using histories::GeneratorOptions;

// Of the formats that can be written.
CLI::Validator written_format_name() { return CLI::IsMember({"jsonl", "edn"}); }

ExitCode write_history(const histories::History& history, const std::string& format, const std::string& out) {
  const TextPieces pieces = [&](const histories::TextSink& write) {
    if (format == "edn") {
      write_edn(history, write);
    } else {
      write_json_lines(history, write);
    }
  };
  if (out == "-") {
    // What cannot be printed is noticed when the program ends.
    pieces([](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); });
    return ExitCode::held;
  }
  const std::filesystem::path path(out);
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const Result<std::string> written = write_text_file(folder, path.filename().string(), pieces);
  return written ? ExitCode::held : refuse(written.error(), false);
}

struct GenerateFlags {
  GeneratorOptions options;
  std::string out;
  std::string format;
};

void add_share(CLI::App& command, const std::string& name, histories::Share& share, const std::string& what) {
  command
      .add_option_function<double>(
          name, [&share](double part) { share.millionths = static_cast<std::uint32_t>(std::lround(part * 1e6)); }, what)
      ->check(number_between(0, 1));
}

// Without one that is named, the ending of the file's name says it.
std::string format_of(const std::string& named, const std::string& out) {
  return !named.empty() ? named : out.ends_with(".edn") ? "edn" : "jsonl";
}

ExitCode run_generate(const GenerateFlags& flags) {
  histories::HistoryBuilder builder;
  if (const Result<void> made = generate_history(flags.options, builder); !made) {
    return refuse({"generate-history", made.error().what}, false);
  }
  return write_history(builder.history(), format_of(flags.format, flags.out), flags.out);
}

struct ConvertFlags {
  histories::ReadOptions reading;
  std::string in;
  std::string out;
  std::string format;
};

ExitCode run_convert(const ConvertFlags& flags) {
  const Result<histories::History> history = read_history(flags.in, flags.reading);
  if (!history) {
    return refuse(history.error(), false);
  }
  if (!history->transactions.empty()) {
    return refuse({flags.in, "transactions over several keys can be judged, but have no place in other formats"},
                  false);
  }
  return write_history(*history, format_of(flags.format, flags.out), flags.out);
}

}  // namespace

void add_generate_history(CLI::App& app, ExitCode& exit) {
  CLI::App* command = app.add_subcommand(
      "generate-history", "Make a history of any size that is linearizable, or wrong in exactly one read");
  auto flags = std::make_shared<GenerateFlags>();
  GeneratorOptions& options = flags->options;
  command->add_option("OUT", flags->out, "The file to write; - for standard output")->required()->check(not_empty());
  constexpr std::uint64_t kOperationsMax = 100'000'000;
  command->add_option("--n", options.operations, "Operations")
      ->check(whole_number_from(1))
      ->check(CLI::Range(std::uint64_t{1}, kOperationsMax))
      ->capture_default_str();
  command->add_option("--clients", options.clients, "Clients, each with one operation at a time")
      ->check(whole_number_from(1))
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--keys", options.keys, "Keys")
      ->check(whole_number_from(1))
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  add_share(*command, "--pending", options.pending, "The share of operations whose outcome stays unknown, from 0 to 1");
  add_share(*command, "--writes", options.writes, "The share of operations that change something (0.5)");
  add_share(*command, "--deletes", options.deletes, "Of the changes of registers, the share that deletes");
  add_share(*command, "--cas", options.compare_and_sets, "Of the changes of registers, the share that compares first");
  add_share(*command, "--append", options.logs, "The share of keys that are logs: appended to, and read whole");
  add_share(*command, "--incr", options.counters, "The share of keys that are counters");
  command
      ->add_option_function<double>(
          "--think", [&options](double part) { options.think_mean = Duration{std::llround(part * 1e6)}; },
          "A client's pause between operations, of which one takes 1 on average (0.1)")
      ->check(number_between(0, 1e6));
  command->add_flag("--bad", options.is_bad, "One read near the end returns what had been replaced before");
  command->add_option("--seed", options.seed, "Another history for every number")
      ->check(whole_number_from(0))
      ->capture_default_str();
  command->add_option("--format", flags->format, "jsonl or edn; without it, edn for a name that ends so, else jsonl")
      ->check(written_format_name());
  command->callback([flags, &exit] { exit = run_generate(*flags); });
}

void add_convert(CLI::App& app, ExitCode& exit) {
  CLI::App* command = app.add_subcommand("convert", "Write a recorded history in another format");
  auto flags = std::make_shared<ConvertFlags>();
  command->add_option("IN", flags->in, "The history to read")->required()->check(not_empty());
  command->add_option("OUT", flags->out, "The file to write; - for standard output")->required()->check(not_empty());
  command->add_option("--to", flags->format, "jsonl or edn; without it, edn for a name that ends so, else jsonl")
      ->check(written_format_name());
  add_reading_flags(*command, flags->reading);
  command->callback([flags, &exit] { exit = run_convert(*flags); });
}

}  // namespace shardcheck::cli
