#include "bench/baseline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/statistics.h"

namespace shardcheck::bench {
namespace {

using nlohmann::json;

constexpr std::string_view kFormat = "shardcheck-baseline-1";
constexpr std::size_t kBytesMax = std::size_t{16} << 20U;

std::string place_of_byte(std::string_view text, std::size_t byte, std::string_view file) {
  const std::string_view before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("{}:{}:{}", file, line, before.size() - line_start + 1);
}

Result<json> parse_json(std::string_view text, std::string_view file) {
  try {
    return json::parse(text.begin(), text.end());
  } catch (const json::parse_error& error) {
    return fail(place_of_byte(text, error.byte, file), "is not JSON");
  } catch (const json::exception& error) {
    return fail(std::string(file), fmt::format("is not JSON that can be read: {}", error.what()));
  }
}

// The text under `key` of an object, which has to have one.
Result<std::string> text_at(const json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) {
    return fail(where, fmt::format("needs a text \"{}\"", key));
  }
  return found->get<std::string>();
}

Result<Figures> parse_figures(const json& row, const std::string& where) {
  if (!row.is_object()) {
    return fail(where, "is not an object");
  }
  Result<std::string> name = text_at(row, "name", where);
  if (!name) {
    return std::unexpected(name.error());
  }
  const auto samples = row.find("samples_ns");
  if (samples == row.end() || !samples->is_array() || samples->empty()) {
    return fail(where, "needs a list \"samples_ns\" that is not empty");
  }
  Figures figures{.name = *name, .samples_ns = {}};
  for (std::size_t index = 0; index < samples->size(); ++index) {
    const json& sample = (*samples)[index];
    const bool is_time = sample.is_number() && std::isfinite(sample.get<double>()) && sample.get<double>() > 0;
    if (!is_time) {
      return fail(fmt::format("{}/samples_ns/{}", where, index), "is not a time: a number above 0");
    }
    figures.samples_ns.push_back(sample.get<double>());
  }
  const auto count = row.find("n");
  if (count != row.end() && *count != samples->size()) {
    return fail(where, fmt::format("says n = {} and has {} samples", count->dump(), samples->size()));
  }
  return figures;
}

}  // namespace

void sort_baseline(Baseline& baseline) {
  std::sort(baseline.benchmarks.begin(), baseline.benchmarks.end(),
            [](const Figures& left, const Figures& right) { return left.name < right.name; });
  for (Figures& figures : baseline.benchmarks) {
    std::sort(figures.samples_ns.begin(), figures.samples_ns.end());
  }
}

std::string print_baseline(const Baseline& baseline) {
  std::string text = fmt::format("{{\"format\": {}, \"release\": {}, \"machine\": {},\n \"benchmarks\": [",
                                 json(kFormat).dump(), json(baseline.release).dump(), json(baseline.machine).dump());
  const char* separator = "\n";
  for (const Figures& figures : baseline.benchmarks) {
    text += fmt::format("{}  {{\"name\": {}, \"median_ns\": {:.4g}, \"mad_ns\": {:.4g}, \"n\": {}, \"samples_ns\": [",
                        separator, json(figures.name).dump(), median(figures.samples_ns),
                        median_absolute_deviation(figures.samples_ns), figures.samples_ns.size());
    for (std::size_t index = 0; index < figures.samples_ns.size(); ++index) {
      text += fmt::format("{}{:.5g}", index == 0 ? "" : ", ", figures.samples_ns[index]);
    }
    text += "]}";
    separator = ",\n";
  }
  return text + "\n ]}\n";
}

Result<Baseline> parse_baseline(std::string_view text, std::string_view file) {
  Result<json> document = parse_json(text, file);
  if (!document) {
    return std::unexpected(document.error());
  }
  const std::string root = std::string(file);
  if (!document->is_object() || document->value("format", json()) != kFormat) {
    return fail(root, fmt::format("is not a baseline: \"format\" is not \"{}\"", kFormat));
  }
  Result<std::string> release = text_at(*document, "release", root);
  Result<std::string> machine = text_at(*document, "machine", root);
  if (!release || !machine) {
    return std::unexpected(release ? machine.error() : release.error());
  }
  const auto rows = document->find("benchmarks");
  if (rows == document->end() || !rows->is_array()) {
    return fail(root, "needs a list \"benchmarks\"");
  }
  Baseline baseline{.release = *release, .machine = *machine, .benchmarks = {}};
  for (std::size_t index = 0; index < rows->size(); ++index) {
    Result<Figures> figures = parse_figures((*rows)[index], fmt::format("{}:/benchmarks/{}", file, index));
    if (!figures) {
      return std::unexpected(figures.error());
    }
    baseline.benchmarks.push_back(*figures);
  }
  sort_baseline(baseline);
  const auto twice = std::adjacent_find(baseline.benchmarks.begin(), baseline.benchmarks.end(),
                                        [](const Figures& a, const Figures& b) { return a.name == b.name; });
  if (twice != baseline.benchmarks.end()) {
    return fail(root + ":/benchmarks", fmt::format("has \"{}\" twice", twice->name));
  }
  return baseline;
}

Result<Baseline> read_baseline(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    return fail(file, "this is a folder, not a file");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return fail(file, "cannot be opened");
  }
  std::string text(kBytesMax + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad() || text.empty()) {
    return fail(file, "is empty, or cannot be read");
  }
  if (text.size() > kBytesMax) {
    return fail(file, "the file is larger than 16 MiB, which no baseline is");
  }
  return parse_baseline(text, file);
}

}  // namespace shardcheck::bench
