// SHARDCHECK_ASSERT: for bugs in our own code only. On in every build, one condition each; a failure prints the
// condition and the place, then aborts. Broken guarantees of a system under test are values (violation.h), and bad
// input is a result (error.h): neither may ever reach this macro.
#pragma once

#include <cstdio>
#include <cstdlib>

#define SHARDCHECK_ASSERT(condition)                                                                     \
  do {                                                                                                   \
    if (!(condition)) [[unlikely]] {                                                                     \
      std::fprintf(stderr, "shardcheck: internal error at %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                                      \
    }                                                                                                    \
  } while (false)
