// The formats of recorded histories: which there are, what each means where they differ, and reading a file whose
// format is told by its content.
//
// A reader either gives back the whole history or an error with "file:line"; it never skips what it does not
// understand, because a history read half could be judged linearizable.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "histories/history.h"
#include "histories/read_budget.h"
#include "spec/error.h"

namespace shardcheck::histories {

// README.md beside this file says what each means: what a key holds first, what a read of nothing tells, what counts as
// the order.
enum class Format : std::uint8_t {
  json_lines,  // ours
  edn,         // the same fields in EDN, with :key
  jepsen,      // EDN of Jepsen, Maelstrom and Knossos: one register, one mutex, or independent keys
  kv_log,      // EDN of Porcupine's key-value logs
  jepsen_log,  // lines of Jepsen's logger, such as Porcupine's logs of etcd
};

inline constexpr std::array kFormats{Format::json_lines, Format::edn, Format::jepsen, Format::kv_log,
                                     Format::jepsen_log};

std::string_view name_of(Format format);
std::optional<Format> format_named(std::string_view name);

// What is not given is as the format has it.
struct ReadOptions {
  std::optional<Format> format{};  // not given: told by the content
  // Of jepsen and jepsen_log: values are [key value], each key is judged by itself.
  bool has_independent_keys = false;
  // What every key holds before its first operation: a whole number, or else a string.
  std::optional<std::string> initial{};
  // Whether a read that was answered with nothing tells nothing; otherwise the key was absent.
  std::optional<bool> nil_read_tells_nothing{};
  // Whether a compare-and-set that failed found another value than it expected; otherwise it tells nothing.
  std::optional<bool> failed_cas_observes{};
  // May be null, and is used by the reader until it returns.
  ReadBudget* budget = nullptr;
};

// Plain or gzip, told by content. The file `-` is the standard input.
Result<History> read_history(const std::filesystem::path& file, const ReadOptions& options = {});
// The same from memory; `name` stands for the file in errors.
Result<History> parse_history(std::string_view text, const std::string& name, const ReadOptions& options = {});

// By the first bytes of a text; json_lines when it looks like none, whose reader then says what is wrong.
Format detect_format(std::string_view head);

}  // namespace shardcheck::histories
