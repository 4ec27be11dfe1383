// The catalogue of promises: every clause a sharding implementation is judged by, with its id and its one sentence.
// Monitors, properties, fuzz targets and reports name clauses by ClauseId; prose elsewhere quotes these strings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace shardcheck {

// P placement, D directory, L lease and epoch, M move, C/R client, S scan, V liveness, X the suite itself,
// Q ring store, I index.
enum class ClauseId : std::uint8_t {
  P1,
  P2,
  P3,
  P4,
  P5,
  P6,
  P7,
  P8,
  P9,
  D1,
  D2,
  D3,
  D4,
  D5,
  D6,
  L1,
  L2,
  L3,
  L4,
  L5,
  M1,
  M2,
  M3,
  M4,
  M5,
  M6,
  M7,
  M8,
  M9,
  M10,
  M11,
  C1,
  S1,
  R1,
  R2,
  R3,
  R4,
  V1,
  V2,
  V3,
  V4,
  V5,
  V6,
  X1,
  X2,
  Q1,
  Q2,
  Q3,
  I1,
  I2,
};

inline constexpr int kClauses = 50;

struct Clause {
  ClauseId id;
  std::string_view text_id;   // "M1"
  std::string_view name;      // "NoLostWrite"
  std::string_view sentence;  // what is promised
  std::string_view method;    // how it is checked
};

// All clauses, in the order of ClauseId.
std::span<const Clause> clauses();
const Clause& clause(ClauseId id);
// By text id, exactly as printed ("M1"); nothing if there is none.
std::optional<ClauseId> clause_by_text_id(std::string_view text_id);

}  // namespace shardcheck
