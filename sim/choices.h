// Everything arbitrary in a run comes from here. Choices::below answers every open question: which faults a run has,
// when one strikes, what a client asks. Answer 0 is always the quietest one.
//
// A label says what is asked, so that a run is a sparse map from labels to the answers that were not 0 (a tape), and
// taking one answer away leaves the meaning of all the others alone.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shardcheck::sim {

// What is asked: a kind (named by whoever asks), up to two entities it is about, and how often it was asked before.
struct Label {
  std::uint8_t kind = 0;
  std::uint16_t subject = 0;
  std::uint32_t counter = 0;

  friend constexpr auto operator<=>(Label, Label) = default;
};

// One answer that was not 0.
struct TapeEntry {
  Label label;
  std::uint64_t answer = 0;

  friend constexpr auto operator<=>(const TapeEntry&, const TapeEntry&) = default;
};
// Sorted by label, each label once.
using Tape = std::vector<TapeEntry>;

class Choices {
 public:
  virtual ~Choices() = default;
  // A number below n (n >= 1). The same label is never asked twice in one run.
  virtual std::uint64_t below(std::uint64_t n, Label label) = 0;
  // True once every answer still to come is known to be 0; whoever asks may then stop asking.
  virtual bool is_exhausted() const { return false; }
};

// Every answer is a hash of the seed and the label: answers do not depend on the order of the questions.
class SeededChoices final : public Choices {
 public:
  explicit SeededChoices(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t n, Label label) override;

 private:
  std::uint64_t seed_;
};

// One byte a choice (two where n > 256), 0 when they have run out. The bytes must outlive this object.
class ByteChoices final : public Choices {
 public:
  explicit ByteChoices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint64_t below(std::uint64_t n, Label label) override;
  bool is_exhausted() const override { return next_ >= bytes_.size(); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
};

// One answer of a source, changed.
struct Override {
  std::uint8_t kind = 0;
  std::uint32_t counter = 0;
  std::uint64_t answer = 0;  // modulo the size of the question

  friend constexpr auto operator<=>(const Override&, const Override&) = default;
};

// The answers of another source, but for a few: near a run that is known, one change away. Of two overrides of one
// question the first counts. An override is found by kind and counter, whatever the subject. `base` must outlive it.
class OverriddenChoices final : public Choices {
 public:
  OverriddenChoices(Choices& base, const std::vector<Override>& overrides);
  std::uint64_t below(std::uint64_t n, Label label) override;

 private:
  Choices& base_;
  std::vector<Override> overrides_;  // sorted by question
};

// The answers of a tape, 0 for every label that is not on it. An answer that is too large for its question is 0: the
// question has changed, so the answer has lost its meaning.
class RecordedChoices final : public Choices {
 public:
  explicit RecordedChoices(const Tape& tape) : tape_(tape) {}
  std::uint64_t below(std::uint64_t n, Label label) override;
  bool is_exhausted() const override { return found_ == tape_.size(); }

 private:
  const Tape& tape_;
  std::size_t found_ = 0;
};

// Passes questions on and writes the answers down.
class TapeRecorder final : public Choices {
 public:
  explicit TapeRecorder(Choices& source) : source_(source) {}
  std::uint64_t below(std::uint64_t n, Label label) override;
  bool is_exhausted() const override { return source_.is_exhausted(); }
  // Sorted; complete once the run is over.
  Tape take_tape();

 private:
  Choices& source_;
  Tape tape_;
};

}  // namespace shardcheck::sim
