#include "harness/moves_line.h"

#include <fmt/format.h>

#include "harness/exact_time.h"

namespace shardcheck::harness {

std::string moves_line(const impl::ClusterOptions& cluster) {
  const impl::ClusterOptions usual;
  std::string moves;
  if (cluster.movers != usual.movers) {
    moves += fmt::format(" movers {}", cluster.movers);
  }
  if (cluster.moves_max != usual.moves_max) {
    moves += fmt::format(" at_once {}", cluster.moves_max);
  }
  if (cluster.catch_up != usual.catch_up) {
    moves += fmt::format(" catch_up {}", name_of(cluster.catch_up));
  }
  if (cluster.catch_up_rounds_max != usual.catch_up_rounds_max) {
    moves += fmt::format(" rounds {}", cluster.catch_up_rounds_max);
  }
  if (cluster.moved_entry_cost != usual.moved_entry_cost) {
    moves += fmt::format(" entry_cost {}", exact_milliseconds(cluster.moved_entry_cost.value));
  }
  if (cluster.log_kept != usual.log_kept || cluster.log_max != usual.log_max) {
    moves += fmt::format(" log {} {}", cluster.log_kept, cluster.log_max);
  }
  if (cluster.node_keys_max != usual.node_keys_max) {
    moves += fmt::format(" node_keys {}", cluster.node_keys_max);
  }
  return moves.empty() ? "" : "moves" + moves + "\n";
}

void take_moves(Words& words, impl::ClusterOptions& cluster) {
  if (words.take_if("movers")) {
    cluster.movers = static_cast<std::uint16_t>(words.whole_number("movers", 1, 2));
  }
  if (words.take_if("at_once")) {
    cluster.moves_max = static_cast<std::uint16_t>(words.whole_number("at_once", 1, 64));
  }
  if (words.take_if("catch_up")) {
    cluster.catch_up = words.named<CatchUpDecision>("catch_up", kCatchUpDecisions);
  }
  if (words.take_if("rounds")) {
    cluster.catch_up_rounds_max = static_cast<std::uint8_t>(words.whole_number("rounds", 1, 255));
  }
  if (words.take_if("entry_cost")) {
    cluster.moved_entry_cost = words.time("the cost of an entry");
    if (cluster.moved_entry_cost < Duration{} || cluster.moved_entry_cost > milliseconds(1)) {
      words.refuse("the cost of an entry must be from 0 to 1ms");
    }
  }
  if (words.take_if("log")) {
    cluster.log_kept = static_cast<std::uint32_t>(words.whole_number("the entries kept", 1, 1'000'000));
    cluster.log_max = static_cast<std::uint32_t>(words.whole_number("the longest log", cluster.log_kept, 1'000'000));
  }
  if (words.take_if("node_keys")) {
    cluster.node_keys_max = static_cast<std::uint32_t>(words.whole_number("node_keys", 0, 1024));
  }
}

}  // namespace shardcheck::harness
