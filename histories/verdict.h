// What a checker of histories says.
#pragma once

#include <cstdint>
#include <string_view>

namespace shardcheck::histories {

// undecided: a budget ran out before either could be proved. It is never to be counted as passed.
enum class Verdict : std::uint8_t { linearizable, not_linearizable, undecided };

constexpr std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::linearizable: return "linearizable";
    case Verdict::not_linearizable: return "not_linearizable";
    case Verdict::undecided: return "undecided";
  }
  return "";
}

// What there was too little of, where a verdict is undecided.
enum class Shortage : std::uint8_t { none, steps, memory, time };

constexpr std::string_view name_of(Shortage shortage) {
  switch (shortage) {
    case Shortage::none: return "none";
    case Shortage::steps: return "steps";
    case Shortage::memory: return "memory";
    case Shortage::time: return "time";
  }
  return "";
}

}  // namespace shardcheck::histories
