// The flags of all commands that read recorded histories: what format they have, and what their lines mean.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "cli/flags.h"
#include "histories/formats.h"

namespace shardcheck::cli {

inline CLI::Validator format_name() {
  return CLI::Validator(
      [](std::string& text) {
        std::string known;
        for (const histories::Format format : histories::kFormats) {
          known += (known.empty() ? "" : ", ") + std::string(name_of(format));
        }
        return histories::format_named(text) ? std::string() : "'" + text + "' is none of " + known;
      },
      "");
}

// `options` must outlive the parsing.
inline void add_reading_flags(CLI::App& command, histories::ReadOptions& options) {
  command
      .add_option_function<std::string>(
          "--format", [&options](const std::string& name) { options.format = histories::format_named(name); },
          "jsonl, edn, jepsen, kv or jepsen-log; without it, the content tells")
      ->check(format_name());
  command.add_flag("--independent", options.has_independent_keys,
                   "Values are [key value], as Jepsen's independent keys write them");
  command
      .add_option_function<std::string>(
          "--initial", [&options](const std::string& value) { options.initial = value; },
          "What every key holds at first: a whole number, or else a string")
      ->check(not_empty())
      ->check(no_number_that_is_too_big());
  command
      .add_option_function<std::string>(
          "--nil-read", [&options](const std::string& what) { options.nil_read_tells_nothing = what == "nothing"; },
          "What a read tells that was answered with nothing: that the key was absent, or nothing")
      ->check(CLI::IsMember({"absent", "nothing"}));
  command
      .add_option_function<std::string>(
          "--failed-cas", [&options](const std::string& what) { options.failed_cas_observes = what == "other"; },
          "What a compare-and-set tells that failed: that it found another value, or nothing")
      ->check(CLI::IsMember({"other", "nothing"}));
}

}  // namespace shardcheck::cli
