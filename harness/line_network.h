// The network, as a line of a scenario describes it.
#pragma once

#include <cstdint>

#include "harness/line_words.h"
#include "sim/network.h"

namespace shardcheck::harness {

inline sim::NetworkOptions take_network(Words& words) {
  sim::NetworkOptions network;
  words.take("delay");
  network.delay = words.time("the delay");
  if (network.delay < Duration{}) {
    words.refuse("the delay of a network cannot be negative");
  }
  words.take("variety");
  network.variety = static_cast<std::uint8_t>(words.whole_number("variety", 0, 255));
  words.take("bytes_per_second");
  network.bytes_per_second = words.whole_number("bytes_per_second", 1'000, 1'000'000'000'000);
  if (words.take_if("inbox_max")) {
    network.inbox_max = static_cast<std::uint16_t>(words.whole_number("inbox_max", 1, 10'000));
  }
  return network;
}

}  // namespace shardcheck::harness
