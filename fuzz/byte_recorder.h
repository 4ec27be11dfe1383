// Writes down what ByteChoices must read to give the same answers: how a run from a seed becomes bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/choices.h"

namespace shardcheck::fuzz {

// Passes questions on. `source` must outlive this object.
class ByteRecorder final : public sim::Choices {
 public:
  explicit ByteRecorder(sim::Choices& source) : source_(source) {}

  std::uint64_t below(std::uint64_t n, sim::Label label) override {
    const std::uint64_t answer = source_.below(n, label);
    int count = 0;
    for (std::uint64_t range = 1; range < n; range *= 256) {
      ++count;
    }
    for (int i = count - 1; i >= 0; --i) {
      bytes_.push_back(static_cast<std::uint8_t>(answer >> (8 * i) & 0xffU));
    }
    return answer;
  }
  bool is_exhausted() const override { return source_.is_exhausted(); }

  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  sim::Choices& source_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace shardcheck::fuzz
