#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cli/markup_text.h"
#include "cli/placement_comparison.h"

namespace shardcheck::cli {
namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Placement schemes compared</title>
<style>
:root { color-scheme: light dark; --page: #ffffff; --ink: #1b1f24; --soft: #5a6572; --line: #d4dae1; --bar: #3a6ea8;
  --bad: #c0271b; --holds: #2c6e2f; --panel: #f5f7f9; }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --ink: #e4e8ec; --soft: #9aa6b2; --line: #36404a;
  --bar: #78ade6; --bad: #ff7b6e; --holds: #86d08a; --panel: #1c2229; } }
body { margin: 0 auto; padding: 1rem clamp(0.75rem, 2vw, 2rem) 2rem; max-width: 80rem; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.35rem; }
h2 { margin: 1.6rem 0 0.4rem; font-size: 1.1rem; }
.caption { color: var(--soft); margin: 0.2rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; min-width: 8rem; max-width: 22rem; white-space: normal;
  overflow-wrap: anywhere; }
dt { font-weight: 600; }
dd { margin: 0 0 0.4rem 1.2rem; max-width: 60rem; }
.held { color: var(--holds); }
.violated { color: var(--bad); font-weight: 600; }
li { margin: 0.3rem 0; overflow-wrap: anywhere; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(28rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; padding: 0.6rem; background: var(--panel); border: 1px solid var(--line); }
figcaption { font-weight: 600; }
svg { display: block; width: 100%; max-width: 34rem; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: var(--ink); }
.bar { fill: var(--bar); }
.mark { stroke: var(--bad); stroke-width: 2; }
.axis { stroke: var(--soft); }
svg .scale { fill: var(--soft); font-size: 12px; }
.load { fill: none; stroke: var(--bar); stroke-width: 1.5; }
</style></head><body>
<h1>Placement schemes compared</h1>
)";

std::string table_html(const FigureTable& table) {
  std::string html = fmt::format("<h2>{}</h2>\n<div class=\"wide\"><table>\n<tr>",
                                 markup_escaped(table.title.substr(0, table.title.find(" ("))));
  for (const std::string& head : table.heads) {
    html += fmt::format("<th scope=\"col\">{}</th>", markup_escaped(head));
  }
  html += "</tr>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (const std::string& cell : row) {
      const bool is_verdict = cell == "held" || cell == "VIOLATED";
      html += fmt::format("<td{}>{}</td>",
                          is_verdict ? fmt::format(" class=\"{}\"", cell == "held" ? "held" : "violated") : "",
                          markup_escaped(cell));
    }
    html += "</tr>\n";
  }
  html += "</table></div>\n";
  if (const std::size_t note = table.title.find(" ("); note != std::string::npos) {
    html += fmt::format("<p class=\"caption\">{}</p>\n", markup_escaped(table.title.substr(note + 1)));
  }
  return html;
}

// The whole name in lines that fit the plot, none of them cut within a character.
std::vector<std::string> lines_of(std::string_view name) {
  constexpr std::size_t kMost = 64;
  std::vector<std::string> lines;
  while (!name.empty()) {
    std::size_t end = std::min(kMost, name.size());
    while (end < name.size() && end > 1 && (static_cast<unsigned char>(name[end]) & 0xc0U) == 0x80) {
      --end;
    }
    lines.emplace_back(name.substr(0, end));
    name.remove_prefix(end);
  }
  return lines;
}

struct Bar {
  std::string name;
  double value;
  double ideal;  // where a mark stands; negative: none
};

constexpr double kPlotLeft = 10;
constexpr double kBarsWidth = 440;  // what is right of it is for the figures

// A line of ticks from 0 to `most` with their values, and what they count.
std::string scale_svg(double top, double most, std::string_view axis) {
  std::string svg = fmt::format("<line class=\"axis\" x1=\"{0:.0f}\" x2=\"{1:.0f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n",
                                kPlotLeft, kPlotLeft + kBarsWidth, top);
  for (int tick = 0; tick <= 4; ++tick) {
    const double at = kPlotLeft + kBarsWidth * tick / 4;
    svg += fmt::format(
        "<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
        "<text class=\"scale\" x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"{4}\">{5:.3g}</text>\n",
        at, top, top + 4, top + 17, tick == 0 ? "start" : "middle", most * tick / 4);
  }
  return svg + fmt::format("<text class=\"scale\" x=\"{:.0f}\" y=\"{:.1f}\">{}</text>\n", kPlotLeft, top + 33,
                           markup_escaped(axis));
}

// Bars from the left, one a scheme below its name, with a mark at what would be ideal. `axis`: what they measure, with
// its unit.
std::string bars_svg(std::string_view title, std::string_view axis, const std::vector<Bar>& bars) {
  double most = 1e-12;
  for (const Bar& bar : bars) {
    most = std::max({most, bar.value, bar.ideal});
  }
  std::string svg;
  double top = 4;
  for (const Bar& bar : bars) {
    for (const std::string& line : lines_of(bar.name)) {
      svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\">{}</text>\n", kPlotLeft, top + 11, markup_escaped(line));
      top += 15;
    }
    const double width = bar.value / most * kBarsWidth;
    svg += fmt::format(
        "<rect class=\"bar\" x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"14\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{:.4g}</text>\n",
        kPlotLeft, top, width, kPlotLeft + std::max(bar.value, bar.ideal) / most * kBarsWidth + 6, top + 12, bar.value);
    if (bar.ideal >= 0) {
      const double at = kPlotLeft + bar.ideal / most * kBarsWidth;
      svg += fmt::format("<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n", at,
                         top - 2, top + 16);
    }
    top += 22;
  }
  return fmt::format(
      "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 560 {1:.0f}\" role=\"img\" aria-label=\"{0}\">\n{2}{3}"
      "</svg></figure>\n",
      markup_escaped(title), top + 44, svg, scale_svg(top + 4, most, axis));
}

std::string bars_of(const std::vector<SchemeReport>& reports, std::string_view title, std::string_view axis,
                    const std::function<std::pair<double, double>(const PlacementFigures&)>& value_and_ideal) {
  std::vector<Bar> bars;
  for (const SchemeReport& report : reports) {
    if (report.figures) {
      const auto [value, ideal] = value_and_ideal(*report.figures);
      bars.push_back({report.laws.placement, value, ideal});
    }
  }
  return bars.empty() ? "" : bars_svg(title, axis, bars);
}

// The loads of the members, the greatest first, as parts of the mean; at most 200 of them.
std::string loads_svg(const SchemeReport& report) {
  std::vector<std::uint64_t> loads;
  for (const auto& [member, load] : report.figures->loads) {
    loads.push_back(load);
  }
  std::ranges::sort(loads, std::ranges::greater{});
  const double mean = static_cast<double>(report.figures->options.keys) / static_cast<double>(loads.size());
  const double most = std::max(2.0, static_cast<double>(loads.front()) / mean);
  constexpr double kLeft = 46;
  constexpr double kWidth = 500;
  constexpr double kHeight = 120;
  const auto height = [&](double part) { return 22 + kHeight - part / most * kHeight; };
  const std::size_t shown = std::min<std::size_t>(loads.size(), 200);
  std::string path;
  for (std::size_t step = 0; step < shown; ++step) {
    const double y = height(static_cast<double>(loads[step * loads.size() / shown]) / mean);
    const double left = kLeft + static_cast<double>(step) * kWidth / static_cast<double>(shown);
    path += fmt::format("{}{:.1f},{:.1f} {:.1f},{:.1f}", step == 0 ? "M" : " L", left, y,
                        left + kWidth / static_cast<double>(shown), y);
  }
  std::string scale;
  for (const double part : {0.0, 1.0, most}) {
    scale += fmt::format(
        "<line class=\"{0}\" x1=\"{1:.0f}\" x2=\"{2:.0f}\" y1=\"{3:.1f}\" y2=\"{3:.1f}\"/>"
        "<text class=\"scale\" x=\"{4:.0f}\" y=\"{5:.1f}\" text-anchor=\"end\">{6:.3g}</text>\n",
        part == 1.0 ? "mark" : "axis", kLeft, kLeft + kWidth, height(part), kLeft - 6, height(part) + 4, part);
  }
  const std::string title = "Load of each member: " + report.laws.placement;
  return fmt::format(
      "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 560 188\" role=\"img\" aria-label=\"{0}\">\n"
      "<text class=\"scale\" x=\"4\" y=\"13\">keys of a member, in times the mean of {1:.6g} keys</text>\n{2}"
      "<path class=\"load\" d=\"{3}\"/>\n"
      "<text class=\"scale\" x=\"{4:.0f}\" y=\"160\">{5} members, the most loaded on the left</text>\n"
      "<text x=\"{4:.0f}\" y=\"180\">greatest {6:.3f} times the mean, least {7:.3f}</text></svg></figure>\n",
      markup_escaped(title), mean, scale, path, kLeft, loads.size(), static_cast<double>(loads.front()) / mean,
      static_cast<double>(loads.back()) / mean);
}

std::string words_html() {
  std::string items;
  for (const FigureWord& each : figure_words()) {
    items += fmt::format("<dt>{}</dt><dd>{}</dd>\n", markup_escaped(each.word), markup_escaped(each.meaning));
  }
  return "<h2>Words</h2>\n<dl>\n" + items + "</dl>\n";
}

std::string findings_html(const std::vector<SchemeReport>& reports) {
  std::string items;
  for (const SchemeReport& report : reports) {
    const auto add = [&](std::string_view what, const std::string& message) {
      items += fmt::format("<li><b>{}</b>, {}: {}</li>\n", markup_escaped(report.laws.placement), what,
                           markup_escaped(message.substr(0, 2'000)));
    };
    for (const PlacementRow& row : report.laws.rows) {
      if (row.finding) {
        add(fmt::format("{} {}", clause(row.clause).text_id, clause(row.clause).name), row.finding->violation.message);
      }
    }
    if (report.laws.breakdown) {
      add("stopped answering", report.laws.breakdown->violation.message);
    }
    if (!report.why_no_figures.empty()) {
      add("figures not measured", report.why_no_figures);
    }
  }
  return items.empty() ? "" : "<h2>Found</h2>\n<ul>\n" + items + "</ul>\n";
}

}  // namespace

std::string comparison_page(const std::vector<SchemeReport>& reports) {
  std::string page(kHead);
  if (!reports.empty() && reports.front().figures) {
    const FiguresOptions& options = reports.front().figures->options;
    page += fmt::format(
        "<p class=\"caption\">{} members of weight 1, {} keys, {} virtual nodes where a scheme has any. "
        "Times are of the machine that it was measured on.</p>\n",
        options.members, options.keys, options.virtual_nodes);
  }
  page += table_html(law_table(reports)) + findings_html(reports) + table_html(figure_table(reports)) +
          table_html(trade_off_table(reports)) + words_html() + "<h2>Plots</h2>\n<div class=\"plots\">\n";
  page += bars_of(reports, "Load: peak to mean (mark: even)", "keys of the most loaded member, in times the mean",
                  [](const auto& figures) { return std::pair(figures.peak_to_mean, 1.0); });
  page +=
      bars_of(reports, "Load: deviation (mark: by chance)", "standard deviation of the loads, in % of the mean",
              [](const auto& figures) { return std::pair(figures.deviation * 100, figures.deviation_by_law * 100); });
  page += bars_of(reports, "Keys moved when a member joins (mark: ideal)", "% of all keys", [](const auto& figures) {
    return std::pair(figures.moved_by_join * 100, figures.ideal_by_join() * 100);
  });
  page += bars_of(
      reports, "Keys moved when a member leaves (mark: its load)", "% of all keys",
      [](const auto& figures) { return std::pair(figures.moved_by_leave * 100, figures.ideal_by_leave * 100); });
  page += bars_of(reports, "Lookup of a key", "nanoseconds a key, many asked for at once",
                  [](const auto& figures) { return std::pair(figures.lookup_ns, -1.0); });
  page += bars_of(reports, "Range scan: members asked by 100 keys in order (mark: one)", "members",
                  [](const auto& figures) { return std::pair(figures.scan_members, 1.0); });
  page += bars_of(reports, "Hot partition: newest keys on one member (mark: even)",
                  "% of the newest hundredth of growing keys", [](const auto& figures) {
                    return std::pair(figures.hot_share * 100, 100.0 / static_cast<double>(figures.options.members));
                  });
  for (const SchemeReport& report : reports) {
    page += report.figures ? loads_svg(report) : "";
  }
  return page + "</div>\n</body></html>\n";
}

}  // namespace shardcheck::cli
