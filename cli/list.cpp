// shardcheck list: the clauses, mutants and systems there are.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "impl/mutant.h"
#include "impl/placement/schemes.h"
#include "spec/clauses.h"

namespace shardcheck::cli {
namespace {

void list_clauses(bool as_json) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Clause& row : clauses()) {
    if (as_json) {
      rows.push_back({{"id", row.text_id}, {"name", row.name}, {"sentence", row.sentence}, {"method", row.method}});
    } else {
      fmt::print("{:<4}{:<24}{}\n", row.text_id, row.name, row.sentence);
    }
  }
  if (as_json) {
    fmt::print("{}\n", rows.dump(2));
  }
}

void list_mutants(bool as_json) {
  nlohmann::json rows = nlohmann::json::array();
  for (const impl::MutantRow& row : impl::mutants()) {
    nlohmann::json caught_by = nlohmann::json::array();
    std::string caught_by_text;
    for (const ClauseId id : row.clauses) {
      caught_by.push_back(clause(id).text_id);
      caught_by_text += (caught_by_text.empty() ? "" : " ") + std::string(clause(id).text_id);
    }
    if (as_json) {
      rows.push_back({{"id", row.text_id},
                      {"name", row.name},
                      {"component", row.component},
                      {"what", row.what},
                      {"clauses", caught_by}});
    } else {
      fmt::print("{:<32}{:<15}{:<10}{}\n", row.name, row.component, caught_by_text, row.what);
    }
  }
  if (as_json) {
    fmt::print("{}\n", rows.dump(2));
  }
}

void list_systems(const std::vector<UserCluster>& clusters, bool as_json) {
  nlohmann::json rows = nlohmann::json::array();
  const auto add = [&](std::string_view name, std::string_view what) {
    if (as_json) {
      rows.push_back({{"name", name}, {"what", what}});
    } else {
      fmt::print("{:<16}{}\n", name, what);
    }
  };
  add("reference", "the reference cluster in the simulated world");
  add("directory", "the reference's directory alone: a replicated log with a few settings");
  for (const UserCluster& cluster : clusters) {
    add(cluster.name, "a cluster that this program brings along");
  }
  if (as_json) {
    fmt::print("{}\n", rows.dump(2));
  }
}

void list_schemes(bool as_json) {
  nlohmann::json names = nlohmann::json::array();
  for (const PlacementFactory& scheme : impl::placement_schemes()) {
    if (as_json) {
      names.push_back({{"name", scheme.name}});
    } else {
      fmt::print("{}\n", scheme.name);
    }
  }
  if (as_json) {
    fmt::print("{}\n", names.dump(2));
  }
}

}  // namespace

void add_list(CLI::App& app, ExitCode&, const std::vector<UserCluster>& clusters) {
  CLI::App* list = app.add_subcommand("list", "The clauses, mutants, systems and placement schemes there are");
  list->require_subcommand(1);
  auto as_json = std::make_shared<bool>(false);
  list->add_flag("--json", *as_json, "Print JSON");
  list->fallthrough();
  list->add_subcommand("clauses", "Every promise with its sentence")->callback([as_json] { list_clauses(*as_json); });
  list->add_subcommand("mutants", "Every seeded bug with the clauses of which one must catch it")->callback([as_json] {
    list_mutants(*as_json);
  });
  list->add_subcommand("schemes", "What `placement --scheme` can judge")->callback([as_json] {
    list_schemes(*as_json);
  });
  list->add_subcommand("systems", "What can be verified")->callback([as_json, &clusters] {
    list_systems(clusters, *as_json);
  });
}

}  // namespace shardcheck::cli
