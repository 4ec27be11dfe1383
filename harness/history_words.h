// What a violation says of a recorded history: the operations on one key that led to an answer nothing explains.
#pragma once

#include <cstdint>
#include <string>

#include "histories/checker.h"
#include "histories/history.h"

namespace shardcheck::harness {

// Those on the key of operation `last` that began before it returned, the latest few, in the order in which they began:
// "request 16 of client 0: write 7, ok (5.600 ms to 7.100 ms)". `options` names them.
std::string operations_up_to(const histories::History& history, std::uint32_t last,
                             const histories::CheckOptions& options);

}  // namespace shardcheck::harness
