#include "harness/adapters/external_process/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

namespace shardcheck::external {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kErrorBytesKept = 2'048;

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      return false;
    }
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void close_both() const {
    for (const int end : {read_end, write_end}) {
      if (end >= 0) {
        close(end);
      }
    }
  }
};

void make_nonblocking(int file) { fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK); }

// Between fork and exec: only what is safe there. A program whose reader has died must die of SIGPIPE, as usual.
[[noreturn]] void become(const char* command, const Pipe& in, const Pipe& out, const Pipe& errors) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGPIPE, &usual, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dup2(in.read_end, STDIN_FILENO) >= 0 && dup2(out.write_end, STDOUT_FILENO) >= 0 &&
      dup2(errors.write_end, STDERR_FILENO) >= 0) {
    execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
  }
  _exit(127);
}

// A write to a program that has gone is an error of that write and no signal, whatever the rest of this process does
// with SIGPIPE.
class QuietPipe {
 public:
  QuietPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  QuietPipe(const QuietPipe&) = delete;
  QuietPipe& operator=(const QuietPipe&) = delete;
  ~QuietPipe() {
    if (!was_pending_) {
      const timespec at_once{};
      while (sigtimedwait(&pipe_, nullptr, &at_once) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

// The line that says most: the last one that speaks of an error, because some languages end with their version.
std::string telling_line_of(std::string_view text) {
  std::string_view last;
  std::string_view telling;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    last = line.find_first_not_of(' ') == std::string_view::npos ? last : line;
    const bool is_telling =
        std::ranges::any_of(std::array{"Error", "error", "panic", "xception"},
                            [&](const char* word) { return line.find(word) != std::string_view::npos; });
    telling = is_telling ? line : telling;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shown(telling.empty() ? last : telling, 200);
}

}  // namespace

std::string shown(std::string_view text, std::size_t bytes_max) {
  std::string line;
  for (const char byte : text) {
    if (line.size() >= bytes_max) {
      return line + fmt::format("... ({} bytes)", text.size());
    }
    if (byte >= ' ' && byte <= '~') {
      line.push_back(byte);
    } else {
      line += fmt::format("%{:02X}", static_cast<unsigned char>(byte));
    }
  }
  return line;
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::string& command) {
  const auto no_process = [&](int why) {
    return fail(fmt::format("child process '{}'", shown(command)),
                fmt::format("cannot be started: {}", std::strerror(why)));
  };
  Pipe in;
  Pipe out;
  Pipe errors;
  const bool is_open = in.open() && out.open() && errors.open();
  const pid_t process = is_open ? fork() : -1;
  if (process == 0) {
    become(command.c_str(), in, out, errors);
  }
  if (process < 0) {
    const int why = errno;
    in.close_both();
    out.close_both();
    errors.close_both();
    return no_process(why);
  }
  setpgid(process, process);  // here too, so that it is done before anybody kills the group
  close(in.read_end);
  close(out.write_end);
  close(errors.write_end);
  for (const int file : {in.write_end, out.read_end, errors.read_end}) {
    make_nonblocking(file);
  }
  return std::unique_ptr<ChildProcess>(
      new ChildProcess(command, process, {in.write_end, out.read_end, errors.read_end}));
}

ChildProcess::ChildProcess(std::string command, pid_t process, Pipes pipes)
    : command_(std::move(command)), process_(process), pipes_(pipes) {}

ChildProcess::~ChildProcess() {
  for (const int file : {pipes_.in, pipes_.out, pipes_.errors}) {
    if (file >= 0) {
      close(file);
    }
  }
  // The group too when the leader has gone: what it started may still be there.
  kill(-process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) == -1 && errno == EINTR) {
  }
}

Result<std::string> ChildProcess::ask(std::string_view line, milliseconds timeout) {
  receive();
  if (!received_.empty()) {
    return broken(line, fmt::format("wrote '{}' before it was asked", shown(received_)));
  }
  const Clock::time_point deadline = Clock::now() + timeout;
  const std::string whole = std::string(line) + "\n";
  std::string_view unsent = whole;
  std::size_t searched = 0;
  while (true) {
    const std::size_t end = received_.find('\n', searched);
    if (end != std::string::npos) {
      std::string answer = received_.substr(0, end);
      received_.erase(0, end + 1);
      return answer.ends_with('\r') ? answer.substr(0, end - 1) : answer;
    }
    searched = received_.size();
    if (searched > kAnswerBytesMax) {
      return broken(line, fmt::format("wrote more than {} MiB without an end of line", kAnswerBytesMax >> 20U));
    }
    if (is_output_closed_) {
      return broken(line, ending());
    }
    if (exchange(unsent, deadline) == Waited::nothing) {
      const std::string part = received_.empty() ? "" : fmt::format(" but '{}' without an end", shown(received_));
      return broken(line, fmt::format("gave no answer within {} ms{}", timeout.count(), part));
    }
  }
}

ChildProcess::Waited ChildProcess::exchange(std::string_view& unsent, Clock::time_point deadline) {
  std::array<pollfd, 3> files{pollfd{pipes_.out, POLLIN, 0}, pollfd{pipes_.errors, POLLIN, 0},
                              pollfd{is_input_closed_ || unsent.empty() ? -1 : pipes_.in, POLLOUT, 0}};
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count() + 1;
  if (left <= 0) {
    return Waited::nothing;
  }
  const int ready = poll(files.data(), files.size(), static_cast<int>(std::min<std::int64_t>(left, 1'000)));
  if (ready < 0 && errno != EINTR) {
    return Waited::nothing;
  }
  if (files[0].revents != 0) {
    receive();
  }
  if (files[1].revents != 0) {
    receive_errors();
  }
  if (files[2].revents != 0) {
    send(unsent);
  }
  return Waited::something;
}

void ChildProcess::send(std::string_view& unsent) {
  const QuietPipe quiet;
  const ssize_t count = write(pipes_.in, unsent.data(), unsent.size());
  if (count > 0) {
    unsent.remove_prefix(static_cast<std::size_t>(count));
  } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
    is_input_closed_ = true;  // it may still answer; if not, its end or the time says so
  }
}

// What is there now, up to one buffer: whoever floods must not keep us from looking at the size and the time.
void ChildProcess::receive() {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = is_output_closed_ ? -1 : read(pipes_.out, buffer.data(), buffer.size());
  if (count > 0) {
    received_.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || (!is_output_closed_ && errno != EAGAIN && errno != EINTR)) {
    is_output_closed_ = true;
  }
}

void ChildProcess::receive_errors() {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = read(pipes_.errors, buffer.data(), buffer.size());
  if (count > 0) {
    last_errors_.append(buffer.data(), static_cast<std::size_t>(count));
    last_errors_.erase(0, last_errors_.size() - std::min(last_errors_.size(), kErrorBytesKept));
  } else if (count == 0) {
    close(pipes_.errors);
    pipes_.errors = -1;
  }
}

// How it ended. Whoever closes its output ends soon after, mostly; one that does not is called by what it did. It stays
// a zombie until the destructor has killed its group, whose number nobody else can have so long.
std::string ChildProcess::ending() {
  siginfo_t info = {};
  for (int tries = 0; tries < 200 && info.si_pid == 0; ++tries) {
    waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT);
    const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
    nanosleep(&pause, nullptr);
  }
  if (pipes_.errors >= 0) {
    receive_errors();
  }
  const std::string part = received_.empty() ? "" : fmt::format(" after '{}' without an end of line", shown(received_));
  if (info.si_pid == 0) {
    return "closed its standard output" + part;
  }
  if (info.si_code != CLD_EXITED) {
    return fmt::format("was killed by signal {}{}", info.si_status, part);
  }
  std::string meaning = info.si_status == 127 ? " (the shell found no such command)" : "";
  if (info.si_status > 128) {  // how a shell tells of a command that it waited for
    meaning = fmt::format(" (killed by signal {})", info.si_status - 128);
  }
  return fmt::format("ended with exit code {}{}{}", info.si_status, meaning, part);
}

std::unexpected<Error> ChildProcess::broken(std::string_view line, std::string_view what) {
  const std::string said =
      last_errors_.empty() ? "" : fmt::format("; its standard error says: {}", telling_line_of(last_errors_));
  return fail(fmt::format("child process '{}'", shown(command_)),
              fmt::format("the program {} on the line '{}'{}", what, shown(line), said));
}

}  // namespace shardcheck::external
