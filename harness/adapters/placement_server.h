// The other end of `shardcheck placement --exec`: answers its lines with a placement written in C++. A whole program is
//
//   int main() { return shardcheck::serve_placement(my_factory, std::cin, std::cout); }
//
// examples/my_ring_any_language/README.md is the protocol.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/placement.h"

namespace shardcheck {

// Answers lines one by one. A line that it does not understand is answered by an error and changes nothing.
class PlacementServer {
 public:
  // `factory` must outlive it.
  explicit PlacementServer(const PlacementFactory& factory) : factory_(factory), placement_(factory.make({})) {}

  // Both without their end.
  std::string answer(std::string_view line);

 private:
  std::optional<std::string> with_arguments();
  std::optional<std::string> with_numbers() const;
  std::optional<std::string> without_arguments() const;
  std::string hello() const;
  std::string reset();
  bool is(std::string_view verb, std::size_t words) const { return words_[0] == verb && words_.size() == words; }

  const PlacementFactory& factory_;
  std::unique_ptr<Placement> placement_;
  std::vector<std::string_view> words_;  // of the line that is being answered, as it came
  std::vector<std::string> texts_;       // the same, read
};

// Reads until the input ends; 0 unless an answer could not be written.
int serve_placement(const PlacementFactory& factory, std::istream& in, std::ostream& out);

}  // namespace shardcheck
