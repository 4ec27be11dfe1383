#include "histories/picture_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "histories/script_text.h"

namespace shardcheck::histories {
namespace {

// Together with the style and the scripts less than kPictureBytesMax, with every character escaped (six bytes for one).
constexpr std::size_t kOperationBytesMax = 1'000'000;
constexpr std::size_t kFindingBytesMax = 200'000;
constexpr std::size_t kBandBytesMax = 200'000;
constexpr std::size_t kBandsMax = 800;
constexpr std::size_t kVerdictBytesMax = 100'000;
constexpr std::size_t kVerdictsMax = 300;
constexpr std::size_t kValueBytesMax = 80;
constexpr std::size_t kNameBytesMax = 100;
constexpr std::size_t kSentenceBytesMax = 2'000;
constexpr std::size_t kRemarkBytesMax = 500;
constexpr std::size_t kBandTextBytesMax = 300;
constexpr std::size_t kDensityBins = 480;

// A string without JSON's quotes, anything else as JSON.
std::string name_text(const ValueTable& values, ValueId value) {
  return values.kind(value) == StoredKind::string ? beginning_of(values.string_of(value), kNameBytesMax)
                                                  : short_text(values, value, kNameBytesMax);
}

std::string thousands(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) {
    text.insert(i - 3, ",");
  }
  return text;
}

// Undecided keys and violated ones first: of those that hold there is least to say.
int rank_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::not_linearizable: return 0;
    case Verdict::undecided: return 1;
    case Verdict::linearizable: return 2;
  }
  return 3;
}

void append_value(const ValueTable& values, ValueId value, std::string& out) {
  if (value == kAbsent) {
    out += "null";
  } else {
    append_script_string(short_text(values, value, kValueBytesMax), out);
  }
}

// Rows of a JSON list, as far as they fit into so many bytes.
class Rows {
 public:
  explicit Rows(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  bool add(std::string_view row) {
    if (json_.size() + row.size() + 2 > bytes_max_) {
      return false;
    }
    json_ += count_ == 0 ? "\n" : ",\n";
    json_ += row;
    ++count_;
    return true;
  }
  std::size_t count() const { return count_; }
  const std::string& json() const { return json_; }

 private:
  std::size_t bytes_max_;
  std::size_t count_ = 0;
  std::string json_;
};

}  // namespace

PictureData::PictureData(const History& history, const CheckReport& report, const PictureOptions& options)
    : history_(history),
      report_(report),
      options_(options),
      selection_(select_for_picture(history, report, options.operations_max)) {}

std::string PictureData::to_json() {
  measure();
  out_ = "{";
  add_summary();
  add_operations();
  add_findings();
  add_verdicts();
  add_bands();
  add_density();
  add_names("key_names", keys_);
  add_names("process_names", processes_shown_);
  add_left_out();
  out_ += "}";
  return std::move(out_);
}

std::uint32_t PictureData::number_of(Names& names, ValueId value) const {
  std::uint32_t& number = names.numbers.find_or_insert(value.value, names.count);
  if (number == names.count) {
    names.json += names.count == 0 ? "" : ",";
    append_script_string(name_text(history_.values, value), names.json);
    ++names.count;
  }
  return number;
}

void PictureData::measure() {
  const std::vector<RecordedOperation>& operations = history_.operations;
  const auto first = std::ranges::find_if_not(operations, &RecordedOperation::is_initial);
  begin_ = first == operations.end() ? TrueTime{} : first->invoked_at;
  end_ = begin_;
  // Without times in the file, each event's time is its line.
  has_times_ = std::ranges::any_of(operations, [](const RecordedOperation& operation) {
    return !operation.is_initial() && operation.invoked_at.value != static_cast<std::int64_t>(operation.invoke_line);
  });
  FlatMap processes;
  for (const RecordedOperation& operation : operations) {
    if (operation.is_initial()) {
      continue;
    }
    begin_ = std::min(begin_, operation.invoked_at);
    end_ = std::max({end_, operation.invoked_at, end_of(operation)});
    ++outcomes_[static_cast<std::size_t>(operation.outcome)];
    processes.find_or_insert(operation.process.value, 0);
  }
  processes_ = processes.size();
  for (const NemesisEvent& event : history_.nemesis) {
    begin_ = std::min(begin_, event.at.value_or(begin_));
    end_ = std::max(end_, event.at.value_or(end_));
  }
}

void PictureData::add_summary() {
  out_ += "\"title\":";
  append_script_string(beginning_of(options_.title, kBandTextBytesMax), out_);
  fmt::format_to(
      std::back_inserter(out_),
      ",\n\"verdict\":\"{}\",\"has_times\":{},\"begin\":\"{}\",\"span\":{},\n"
      "\"counts\":{{\"operations\":{},\"ok\":{},\"refused\":{},\"unknown\":{},\"keys\":{},\"processes\":{},"
      "\"violated\":{},\"undecided\":{},\"nemesis\":{}}}",
      name_of(report_.verdict), has_times_, begin_.value, since_begin(end_), history_.operations.size(),
      outcomes_[static_cast<std::size_t>(OutcomeKind::ok)], outcomes_[static_cast<std::size_t>(OutcomeKind::refused)],
      outcomes_[static_cast<std::size_t>(OutcomeKind::unknown)], report_.keys.size() + report_.keys_not_judged,
      processes_, report_.count(Verdict::not_linearizable), report_.count(Verdict::undecided), history_.nemesis.size());
}

// [key, verdict, operations, method, remarks]
void PictureData::add_verdicts() {
  std::vector<std::uint32_t> order(report_.keys.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t count = std::min(order.size(), kVerdictsMax);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(order, end, {},
                            [this](std::uint32_t i) { return std::pair(rank_of(report_.keys[i].verdict), i); });
  Rows rows(kVerdictBytesMax);
  for (auto it = order.begin(); it != end; ++it) {
    const KeyVerdict& key = report_.keys[*it];
    std::string row = fmt::format("[{},\"{}\",{},\"{}\",", number_of(keys_, key.key), name_of(key.verdict),
                                  key.operations, key.method);
    append_remarks(key, row);
    if (!rows.add(row + "]")) {
      break;
    }
  }
  out_ += ",\n\"verdicts\":[" + rows.json() + "]";
  if (rows.count() < report_.keys.size()) {
    left_out_.push_back(fmt::format("The table of keys has {} of {}: the violated and the undecided first.",
                                    rows.count(), thousands(report_.keys.size())));
  }
  if (report_.keys_not_judged != 0) {
    left_out_.push_back(fmt::format("{} of {} keys were not judged: the first that is violated ended the work.",
                                    thousands(report_.keys_not_judged),
                                    thousands(report_.keys.size() + report_.keys_not_judged)));
  }
}

void PictureData::append_remarks(const KeyVerdict& key, std::string& row) const {
  constexpr std::size_t kRemarksMax = 10;
  std::vector<std::string> remarks;
  if (options_.remarks && key.verdict != Verdict::linearizable) {
    remarks = options_.remarks(key);
  }
  row += '[';
  for (std::size_t i = 0; i < std::min(remarks.size(), kRemarksMax); ++i) {
    row += i == 0 ? "" : ",";
    append_script_string(beginning_of(remarks[i], kRemarkBytesMax), row);
  }
  row += ']';
}

// [process, key, kind, outcome, role, invoked, returned or -1, its lines, argument, expected, observed]
std::string PictureData::operation_row(const ShownOperation& shown) {
  const RecordedOperation& operation = history_.operations[shown.index];
  std::string row = fmt::format("[{},{},\"{}\",\"{}\",{},{},{},{},{},", number_of(processes_shown_, operation.process),
                                number_of(keys_, operation.key), name_of(operation.kind), name_of(operation.outcome),
                                static_cast<int>(shown.role), since_begin(operation.invoked_at),
                                operation.has_returned() ? since_begin(operation.returned_at) : -1,
                                operation.invoke_line, operation.return_line);
  append_value(history_.values, operation.argument, row);
  row += ',';
  append_value(history_.values, operation.expected, row);
  row += ',';
  append_value(history_.values, operation.observed, row);
  return row + "]";
}

void PictureData::add_operations() {
  Rows rows(kOperationBytesMax);
  std::array<std::size_t, 4> counts{};
  for (const ShownOperation& shown : selection_.operations) {
    // Names count too, though they stand elsewhere.
    if (rows.json().size() + keys_.json.size() + processes_shown_.json.size() > kOperationBytesMax ||
        !rows.add(operation_row(shown))) {
      break;
    }
    ++counts[static_cast<std::size_t>(shown.role)];
  }
  operations_shown_ = rows.count();
  out_ += ",\n\"operations\":[" + rows.json() + "]";
  const std::size_t all = history_.operations.size();
  if (operations_shown_ == all) {
    return;
  }
  std::string sentence = fmt::format("{} of {} operations are drawn: ", thousands(operations_shown_), thousands(all));
  if (!selection_.findings.empty()) {
    sentence += fmt::format(
        "{} of the contradictions, {} nearest to them in time on the same keys, {} nearest to them on any key, and ",
        thousands(counts[0]), thousands(counts[1]), thousands(counts[2]));
  }
  sentence += fmt::format("{} picked evenly from the {}.", thousands(counts[3]),
                          selection_.findings.empty() ? "history" : "rest");
  sentence += " An empty stretch of a lane does not mean that nothing happened there; the strip counts all operations.";
  left_out_.push_back(std::move(sentence));
  if (operations_shown_ < selection_.operations.size()) {
    left_out_.push_back("The values are so long that fewer operations than usual fit on the page.");
  }
}

// {key, sentence, line, operations: numbers of rows, within: -1 when all of the key's are shown}
void PictureData::add_findings() {
  FlatMap row_of;
  for (std::uint32_t row = 0; row < operations_shown_; ++row) {
    row_of.find_or_insert(selection_.operations[row].index, row);
  }
  // What was cut off for want of bytes is what is farthest; how far is not known any more.
  const bool is_cut = operations_shown_ < selection_.operations.size();
  Rows rows(kFindingBytesMax);
  for (const PictureFinding& finding : selection_.findings) {
    const KeyVerdict& key = report_.keys[finding.verdict];
    std::string row =
        fmt::format("{{\"key\":{},\"line\":{},\"sentence\":", number_of(keys_, key.key), key.explanation->line);
    append_script_string(beginning_of(key.explanation->sentence, kSentenceBytesMax), row);
    row += ",\"operations\":[";
    bool is_first = true;
    for (const std::uint32_t index : finding.operations) {
      if (const std::uint32_t* number = row_of.find(index)) {
        fmt::format_to(std::back_inserter(row), "{}{}", is_first ? "" : ",", *number);
        is_first = false;
      }
    }
    const std::int64_t within = is_cut ? 0 : finding.shown_within ? finding.shown_within->value : -1;
    fmt::format_to(std::back_inserter(row), "],\"within\":{},\"size\":{}}}", within, finding.operations.size());
    if (!rows.add(row)) {
      break;
    }
  }
  out_ += ",\n\"findings\":[" + rows.json() + "]";
  const std::uint64_t left_out = selection_.findings.size() - rows.count() + selection_.findings_left_out;
  if (left_out != 0) {
    left_out_.push_back(
        fmt::format("{} more violated keys have contradictions that are not drawn.", thousands(left_out)));
  }
}

// [from, until or -1, what, text, line, text and line of its end]
void PictureData::add_bands() {
  const std::vector<NemesisBand> bands = bands_of(history_);
  std::vector<std::uint32_t> contradiction;
  for (const PictureFinding& finding : selection_.findings) {
    contradiction.insert(contradiction.end(), finding.operations.begin(), finding.operations.end());
  }
  Rows rows(kBandBytesMax);
  for (const std::uint32_t number : nearest_bands(history_, bands, contradiction, kBandsMax)) {
    const NemesisBand& band = bands[number];
    const NemesisEvent& event = history_.nemesis[band.event];
    std::string row = fmt::format("[{},{},", since_begin(std::max(band.from, begin_)),
                                  band.until ? since_begin(std::max(*band.until, begin_)) : -1);
    append_script_string(beginning_of(event.what, kNameBytesMax), row);
    row += ',';
    append_script_string(beginning_of(event.text, kBandTextBytesMax), row);
    fmt::format_to(std::back_inserter(row), ",{},", event.line);
    const NemesisEvent* end = band.end_event ? &history_.nemesis[*band.end_event] : nullptr;
    append_script_string(end != nullptr ? beginning_of(end->text, kBandTextBytesMax) : "", row);
    fmt::format_to(std::back_inserter(row), ",{}]", end != nullptr ? end->line : 0);
    if (!rows.add(row)) {
      break;
    }
  }
  out_ += ",\n\"bands\":[" + rows.json() + "]";
  if (rows.count() < bands.size()) {
    left_out_.push_back(fmt::format("{} of {} faults and moves are drawn: the nearest to what is shown.",
                                    thousands(rows.count()), thousands(bands.size())));
  }
}

// Invocations in equal parts of the history's time: all, those that were not answered or refused, those of keys that
// are violated or undecided.
void PictureData::add_density() {
  std::vector<ValueId> focus;
  for (const KeyVerdict& key : report_.keys) {
    if (key.verdict != Verdict::linearizable) {
      focus.push_back(key.key);
    }
  }
  std::ranges::sort(focus);
  std::array<std::array<std::uint64_t, kDensityBins>, 3> counts{};
  const auto span = static_cast<std::uint64_t>(since_begin(end_));
  // The width of a bin, rounded up, so that the last event falls into the last bin.
  const std::uint64_t bins = std::clamp<std::uint64_t>(history_.operations.size() / 20, 60, kDensityBins);
  const std::uint64_t width = span / bins + 1;
  for (const RecordedOperation& operation : history_.operations) {
    if (operation.is_initial()) {
      continue;
    }
    const std::size_t bin = static_cast<std::uint64_t>(since_begin(operation.invoked_at)) / width;
    ++counts[0][bin];
    counts[1][bin] += static_cast<std::uint64_t>(operation.outcome != OutcomeKind::ok);
    counts[2][bin] += static_cast<std::uint64_t>(std::ranges::binary_search(focus, operation.key));
  }
  fmt::format_to(std::back_inserter(out_), ",\n\"density\":{{\"width\":{}", width);
  const std::size_t used = span / width + 1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    constexpr std::array<std::string_view, 3> kFields{"all", "unsuccessful", "focus"};
    fmt::format_to(std::back_inserter(out_), ",\"{}\":[{}]", kFields[i],
                   fmt::join(counts[i].begin(), counts[i].begin() + static_cast<std::ptrdiff_t>(used), ","));
  }
  out_ += "}";
}

void PictureData::add_names(std::string_view field, const Names& names) {
  fmt::format_to(std::back_inserter(out_), ",\n\"{}\":[{}]", field, names.json);
}

void PictureData::add_left_out() {
  out_ += ",\n\"left_out\":[";
  for (std::size_t i = 0; i < left_out_.size(); ++i) {
    out_ += i == 0 ? "" : ",";
    append_script_string(left_out_[i], out_);
  }
  out_ += "]";
}

}  // namespace shardcheck::histories
