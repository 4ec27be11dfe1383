// The figures of one release on one machine, as kept in bench/baselines/: what ci/release writes and what
// `shardcheck compare` reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/error.h"

namespace shardcheck::bench {

struct Figures {
  std::string name;                // "ring_lookup/20000"
  std::vector<double> samples_ns;  // CPU time an operation, one sample a repetition; ascending, positive, not empty

  friend bool operator==(const Figures&, const Figures&) = default;
};

struct Baseline {
  std::string release;              // "0.1.0"; empty when it is not one
  std::string machine;              // what it was measured on, in words
  std::vector<Figures> benchmarks;  // ascending by name, no name twice

  friend bool operator==(const Baseline&, const Baseline&) = default;
};

// JSON, one benchmark a line: name, median and median absolute deviation (for people), count and samples.
std::string print_baseline(const Baseline& baseline);

// `file` is the name under which errors speak of the text: "file:line:column" where it is not JSON, else the file and
// the JSON pointer of the place.
Result<Baseline> parse_baseline(std::string_view text, std::string_view file);
Result<Baseline> read_baseline(const std::string& file);

// Puts names and samples in the order that Baseline states.
void sort_baseline(Baseline& baseline);

}  // namespace shardcheck::bench
