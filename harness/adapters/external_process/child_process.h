// A program at the other end of two pipes that is asked a line at a time and answers a line each. Made for programs
// that nobody trusts: whatever they do, a question ends with an answer or with an error within its time.
//
// Each runs as a shell command in a process group of its own, which is killed and reaped with the ChildProcess. What it
// writes to standard error is kept back, and its most telling line told with the error. POSIX only; one thread at a
// time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "spec/error.h"

namespace shardcheck::external {

inline constexpr std::size_t kAnswerBytesMax = std::size_t{16} << 20U;

class ChildProcess {
 public:
  // Fails when the system gives no process or pipe. A command that the shell does not find ends at the first question.
  static Result<std::unique_ptr<ChildProcess>> start(const std::string& command);

  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  // Sends the line and waits for the next one, both without their end. An error says what the program did instead (it
  // ended, closed its output, wrote too much, wrote unasked, was silent for `timeout`) on which line; after one the
  // program is of no use.
  Result<std::string> ask(std::string_view line, std::chrono::milliseconds timeout);

 private:
  struct Pipes {
    int in;
    int out;
    int errors;
  };
  ChildProcess(std::string command, pid_t process, Pipes pipes);

  enum class Waited { something, nothing };
  // Moves bytes in all directions that are ready, until one has moved or `deadline` has passed.
  Waited exchange(std::string_view& unsent, std::chrono::steady_clock::time_point deadline);
  void send(std::string_view& unsent);
  void receive();
  void receive_errors();
  std::unexpected<Error> broken(std::string_view line, std::string_view what);
  std::string ending();

  std::string command_;
  pid_t process_;
  Pipes pipes_;
  bool is_input_closed_ = false;
  bool is_output_closed_ = false;
  std::string received_;
  std::string last_errors_;
};

// As an error or a report shows foreign text: on one line, not longer than `bytes_max`, what is not printable as %XX.
std::string shown(std::string_view text, std::size_t bytes_max = 120);

}  // namespace shardcheck::external
