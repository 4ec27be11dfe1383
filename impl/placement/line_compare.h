// How many of the 16-bit numbers that start a cache line lie below one that is asked for: the inner step of LineTable,
// by the instructions that every 64-bit x86 processor has, else plainly. Both count alike; the test of the tables
// compares them. Wider instructions, chosen at run time, were measured and gain nothing: the step waits for the line.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#define SHARDCHECK_HAS_SSE2 1
#else
#define SHARDCHECK_HAS_SSE2 0
#endif

namespace shardcheck::impl {

// How many of the `Count` ascending numbers lie below `asked`. `numbers` is aligned to Count * 2 bytes.
struct PlainCompare {
  template <std::size_t Count>
  static unsigned below(const std::int16_t* numbers, std::int16_t asked) noexcept {
    unsigned below = 0;
    for (std::size_t index = 0; index < Count; ++index) {
      below += unsigned{numbers[index] < asked};
    }
    return below;
  }
};

#if SHARDCHECK_HAS_SSE2
struct Sse2Compare {
  template <std::size_t Count>
  static unsigned below(const std::int16_t* numbers, std::int16_t asked) noexcept {
    static_assert(Count == 8 || Count == 16);
    const __m128i* const halves = reinterpret_cast<const __m128i*>(numbers);
    const __m128i wanted = _mm_set1_epi16(asked);
    const __m128i first = _mm_cmplt_epi16(_mm_load_si128(halves), wanted);
    __m128i second = _mm_setzero_si128();
    if constexpr (Count == 16) {
      second = _mm_cmplt_epi16(_mm_load_si128(halves + 1), wanted);
    }
    // Ascending, so those below come first and the lowest zero bit is their number.
    const unsigned is_below = static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(first, second)));
    return static_cast<unsigned>(std::countr_zero(~is_below));
  }
};

using BestCompare = Sse2Compare;
#else
using BestCompare = PlainCompare;
#endif

}  // namespace shardcheck::impl
