// Several placements beside one another: which promises each keeps, and the figures of each; as text, as JSON, and as
// one self-contained page with plots.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/placement_report.h"

namespace shardcheck::cli {

inline constexpr std::size_t kComparedMax = 32;

// The worst verdict of all.
ExitCode verdict_of(const std::vector<SchemeReport>& reports);

// Three tables: laws, figures, and the trade-offs.
std::string comparison_text(const std::vector<SchemeReport>& reports);
nlohmann::json comparison_json(const std::vector<SchemeReport>& reports);

// The same with plots, under 1 MB. The page asks for nothing and runs no script; names of schemes and members stand in
// it escaped.
inline constexpr std::size_t kComparisonBytesMax = 1'000'000;
std::string comparison_page(const std::vector<SchemeReport>& reports);

// Rows and columns of the two tables of figures, for text and page alike. The first cell of a row is the scheme.
struct FigureTable {
  std::string title;
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
};
FigureTable law_table(const std::vector<SchemeReport>& reports);
FigureTable figure_table(const std::vector<SchemeReport>& reports);
FigureTable trade_off_table(const std::vector<SchemeReport>& reports);

}  // namespace shardcheck::cli
