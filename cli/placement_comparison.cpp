#include "cli/placement_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/clauses.h"

namespace shardcheck::cli {
namespace {

std::string percent(double part) { return fmt::format("{:.2f} %", part * 100); }

std::string bytes_text(const PlacementFigures& figures) {
  return figures.bytes_a_member ? fmt::format("{:.0f}", *figures.bytes_a_member) : "not known";
}

// One row a scheme; schemes without figures say so in their first cell.
FigureTable table_of(const std::vector<SchemeReport>& reports, std::string title, std::vector<std::string> heads,
                     std::vector<std::string> (*cells)(const PlacementFigures& figures)) {
  FigureTable table{std::move(title), {"scheme"}, {}};
  table.heads.insert(table.heads.end(), heads.begin(), heads.end());
  for (const SchemeReport& report : reports) {
    std::vector<std::string> row{report.laws.placement};
    if (report.figures) {
      const std::vector<std::string> found = cells(*report.figures);
      row.insert(row.end(), found.begin(), found.end());
    } else {
      row.push_back("not measured");
      row.resize(table.heads.size());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string to_text(const FigureTable& table) {
  std::vector<std::size_t> widths(table.heads.size());
  const auto widen = [&](const std::vector<std::string>& row) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  };
  widen(table.heads);
  std::ranges::for_each(table.rows, widen);
  std::string text = table.title + "\n";
  const auto print = [&](const std::vector<std::string>& row) {
    std::string line = fmt::format("  {:<{}}", row[0], widths[0]);
    for (std::size_t column = 1; column < row.size(); ++column) {
      line += fmt::format("  {:>{}}", row[column], widths[column]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  print(table.heads);
  std::ranges::for_each(table.rows, print);
  return text;
}

}  // namespace

ExitCode verdict_of(const std::vector<SchemeReport>& reports) {
  ExitCode worst = ExitCode::held;
  for (const SchemeReport& report : reports) {
    const ExitCode verdict = report.verdict();
    if (verdict == ExitCode::violated || worst == ExitCode::held) {
      worst = verdict;
    }
  }
  return worst;
}

FigureTable law_table(const std::vector<SchemeReport>& reports) {
  FigureTable table{"Laws (-: not promised, or nothing to judge it by)", {"scheme"}, {}};
  for (const ClauseId id : placement_clauses()) {
    table.heads.emplace_back(clause(id).text_id);
  }
  for (const SchemeReport& report : reports) {
    std::vector<std::string> row{report.laws.placement};
    for (const PlacementRow& each : report.laws.rows) {
      row.emplace_back(each.finding ? "VIOLATED" : each.is_held() ? "held" : "-");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

FigureTable figure_table(const std::vector<SchemeReport>& reports) {
  return table_of(
      reports, "Figures",
      {"peak/mean", "deviation", "by chance", "moved by a leave", "ideally", "lookup ns", "build ms", "one more ms"},
      [](const PlacementFigures& figures) -> std::vector<std::string> {
        return {fmt::format("{:.3f}", figures.peak_to_mean),
                percent(figures.deviation),
                percent(figures.deviation_by_law),
                percent(figures.moved_by_leave),
                percent(figures.ideal_by_leave),
                fmt::format("{:.0f}", figures.lookup_ns),
                fmt::format("{:.2f}", figures.build_ms),
                fmt::format("{:.2f}", figures.join_ms)};
      });
}

FigureTable trade_off_table(const std::vector<SchemeReport>& reports) {
  return table_of(
      reports,
      "Trade-offs (members that a scan of 100 keys in order asks; the part of the newest hundredth of growing "
      "keys on one member; keys moved when a member joins, and those of them between others)",
      {"range scan", "hot partition", "moved by a join", "ideally", "strayed", "routing bytes a member"},
      [](const PlacementFigures& figures) -> std::vector<std::string> {
        return {fmt::format("{:.1f}", figures.scan_members),
                percent(figures.hot_share),
                percent(figures.moved_by_join),
                percent(figures.ideal_by_join()),
                percent(figures.strayed_by_join),
                bytes_text(figures)};
      });
}

std::string comparison_text(const std::vector<SchemeReport>& reports) {
  std::string text;
  if (!reports.empty() && reports.front().figures) {
    const FiguresOptions& options = reports.front().figures->options;
    text = fmt::format("{} members, {} keys, {} virtual nodes where a scheme has any\n\n", options.members,
                       options.keys, options.virtual_nodes);
  }
  text +=
      to_text(law_table(reports)) + "\n" + to_text(figure_table(reports)) + "\n" + to_text(trade_off_table(reports));
  text += "\nWords\n" + figure_words_text();
  for (const SchemeReport& report : reports) {
    for (const PlacementRow& row : report.laws.rows) {
      if (row.finding) {
        text += fmt::format("\n{}, {} {}: {}\n", report.laws.placement, clause(row.clause).text_id,
                            clause(row.clause).name, row.finding->violation.message);
      }
    }
    if (report.laws.breakdown) {
      text += fmt::format("\n{}: {}\n", report.laws.placement, report.laws.breakdown->violation.message);
    }
    if (!report.why_no_figures.empty()) {
      text += fmt::format("\n{}: figures not measured: {}\n", report.laws.placement, report.why_no_figures);
    }
  }
  return text;
}

nlohmann::json comparison_json(const std::vector<SchemeReport>& reports) {
  nlohmann::json schemes = nlohmann::json::array();
  for (const SchemeReport& report : reports) {
    schemes.push_back(to_json(report));
  }
  return {{"schemes", std::move(schemes)},
          {"verdict", name_of(verdict_of(reports))},
          {"exit_code", static_cast<int>(verdict_of(reports))}};
}

}  // namespace shardcheck::cli
