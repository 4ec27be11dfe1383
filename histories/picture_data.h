// The data of a picture as JSON, for the scripts in histories/picture (model.js reads it and says what each field is).
// Times are nanoseconds since the first event, or lines when the history has no times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "histories/flat_map.h"
#include "histories/picture.h"
#include "histories/picture_bands.h"
#include "histories/picture_selection.h"

namespace shardcheck::histories {

class PictureData {
 public:
  // All must outlive it.
  PictureData(const History& history, const CheckReport& report, const PictureOptions& options);

  // Use once.
  std::string to_json();

 private:
  // Names of keys or of processes, each once.
  struct Names {
    FlatMap numbers;  // of the value's id
    std::string json;
    std::uint32_t count = 0;
  };

  std::uint32_t number_of(Names& names, ValueId value) const;
  std::int64_t since_begin(TrueTime time) const { return (time - begin_).value; }

  void measure();
  void add_summary();
  void add_verdicts();
  void append_remarks(const KeyVerdict& key, std::string& row) const;
  void add_operations();
  std::string operation_row(const ShownOperation& shown);
  void add_findings();
  void add_bands();
  void add_density();
  void add_names(std::string_view field, const Names& names);
  void add_left_out();

  const History& history_;
  const CheckReport& report_;
  const PictureOptions& options_;
  PictureSelection selection_;
  TrueTime begin_;
  TrueTime end_;
  bool has_times_ = true;
  std::array<std::uint64_t, 3> outcomes_{};  // counts, by OutcomeKind
  std::uint64_t processes_ = 0;
  Names keys_;
  Names processes_shown_;
  std::size_t operations_shown_ = 0;
  std::vector<std::string> left_out_;
  std::string out_;
};

}  // namespace shardcheck::histories
