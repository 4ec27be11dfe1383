#include "histories/classify.h"

#include "histories/classify_parts.h"
#include "histories/reductions.h"

namespace shardcheck::histories {

Classification classify(const History& history, const KeyHistory& whole, const std::function<bool()>& is_out_of_time) {
  constexpr std::uint64_t kStepsOfSequential = 300'000;
  Classification found;
  const auto has_time = [&] { return !is_out_of_time || !is_out_of_time(); };
  if (!has_time()) {
    return found;
  }
  switch (structure_of(whole)) {
    case Structure::registers: classify_register(history, whole, found); break;
    case Structure::log: classify_log(history, whole, is_out_of_time, found); break;
    case Structure::counter: classify_counter(history, whole, found); break;
    case Structure::mixed: break;
  }
  if (has_time()) {
    found.is_sequential = is_sequentially_consistent(history, whole, kStepsOfSequential);
  }
  return found;
}

}  // namespace shardcheck::histories
