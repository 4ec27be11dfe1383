// How a command says that it cannot do what it was asked, and judges nothing: on standard error for people, and where
// JSON was asked for as a document on standard output too, so that a program that reads it always finds one.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/exit_code.h"
#include "spec/error.h"

namespace shardcheck::cli {

inline nlohmann::json error_json(const Error& error) { return {{"where", error.where}, {"what", error.what}}; }

inline void print_error_document(const Error& error) {
  const nlohmann::json document{{"error", error_json(error)}};
  fmt::print("{}\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

inline ExitCode refuse(const Error& error, bool as_json) {
  fmt::print(stderr, "shardcheck: {}\n", to_string(error));
  if (as_json) {
    print_error_document(error);
  }
  return ExitCode::bad_input;
}

}  // namespace shardcheck::cli
