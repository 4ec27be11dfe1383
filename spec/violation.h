// A broken guarantee, as data. Checkers return or emit violations; they never throw and never print.
#pragma once

#include <string>

#include "spec/clauses.h"
#include "spec/types.h"

namespace shardcheck {

struct Violation {
  ClauseId clause;
  TrueTime at;          // when it became visible to the judge
  std::string message;  // what happened, in plain words: who, which key or range, which epochs, what should have been

  friend bool operator==(const Violation&, const Violation&) = default;
};

}  // namespace shardcheck
