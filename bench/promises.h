// The promises about speed: each a ratio to a known way of doing the same work, measured in the same run, because
// absolute figures do not travel. promises.tsv is their table, measures.cpp what each one runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"
#include "spec/error.h"

namespace shardcheck::bench {

struct SpeedPromise {
  std::string name;     // "ring_lookup_20k"
  std::string what;     // what is measured
  std::string against;  // the baseline
  double bar = 0;       // how many times faster than the baseline, at least

  friend bool operator==(const SpeedPromise&, const SpeedPromise&) = default;
};

// promises.tsv as it was when this was built. A broken table is a bug of ours and does not pass the tests.
const std::vector<SpeedPromise>& promises();

// Rows of name, what, against and bar, separated by tabs, after one line of headings. Errors name file:line.
Result<std::vector<SpeedPromise>> parse_promises(std::string_view text, std::string_view file);

// The function of a promise; null for one whose measure is not written. Fails when what it is measured against is not
// installed.
using Measure = Result<Ratio> (*)();
Measure measure_of(std::string_view name);
// All names measure_of knows.
std::vector<std::string_view> measured_names();

enum class PromiseVerdict { held, fell_short, unmeasured };

struct PromiseOutcome {
  SpeedPromise promise;
  PromiseVerdict verdict = PromiseVerdict::unmeasured;
  Ratio ratio{};             // meaningless when unmeasured
  std::string why_not = {};  // why it is unmeasured; empty if it only has no measure
};

// Measures one promise, once. `measure` may be null: unmeasured.
PromiseOutcome judge_promise(const SpeedPromise& promise, Measure measure);

}  // namespace shardcheck::bench
