// A program for the tests of the protocol: serves the placement of this name, and on the lines that begin with VERB
// does what no good program does.
//
//   placement_program NAME [die|hang|garbage|truncate|flood|close|extra|foreign VERB]
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>

#include "harness/adapters/placement_server.h"
#include "harness/placement_check.h"

namespace {

// What is said in place of the answer; some of it ends the program.
std::string misbehave(const std::string& how) {
  if (how == "die") {
    std::cerr << "placement_program: out of luck" << std::endl;
    std::raise(SIGKILL);
  }
  if (how == "hang") {
    pause();
  }
  if (how == "truncate") {
    std::cout << "o" << std::flush;
    _exit(0);
  }
  if (how == "flood") {
    const std::string piece(1 << 16, 'x');
    while (std::cout << piece) {
    }
  }
  if (how == "close") {
    close(STDOUT_FILENO);
    pause();
  }
  if (how == "extra") {
    return "ok\nok\n";
  }
  return how == "foreign" ? "ok nobody\n" : "\x01\xff garbage\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<shardcheck::PlacementFactory> factory =
      shardcheck::placement_by_name(argc > 1 ? argv[1] : "ring");
  if (!factory) {
    std::cerr << "no such placement\n";
    return 3;
  }
  if (argc < 4) {
    return shardcheck::serve_placement(*factory, std::cin, std::cout);
  }
  shardcheck::PlacementServer server(*factory);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << (line.starts_with(argv[3]) ? misbehave(argv[2]) : server.answer(line) + "\n") << std::flush;
  }
  return 0;
}
