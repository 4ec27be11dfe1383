// Reads a value as scenarios spell it: "nil", "7", or "[1 4 5]".
#pragma once

#include "harness/line_words.h"
#include "spec/value.h"

namespace shardcheck::harness {

// The next word. A word that is no value is refused at `words`.
Value value_of(Words& words);

}  // namespace shardcheck::harness
