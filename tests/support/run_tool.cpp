#include "support/run_tool.hpp"

#include "io/file_descriptor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace hipotool::test {

namespace {

using Clock = std::chrono::steady_clock;
using io::FileDescriptor;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct Pipe {
  FileDescriptor reader;
  FileDescriptor writer;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      fail("pipe");
    }
    reader = FileDescriptor(ends[0]);
    writer = FileDescriptor(ends[1]);
  }
};

struct Pipes {
  Pipe in;
  Pipe out;
  Pipe err;
  Pipe failure;  // carries the error number if the program cannot be started
};

// Runs between fork and exec.
[[noreturn]] void become(const std::filesystem::path& program, const ProgramRun& run,
                         const Pipes& pipes) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), run.arguments.begin(), run.arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);

  bool ready = ::dup2(pipes.in.reader.number(), STDIN_FILENO) >= 0 &&
               ::dup2(pipes.out.writer.number(), STDOUT_FILENO) >= 0 &&
               ::dup2(pipes.err.writer.number(), STDERR_FILENO) >= 0;
  // The test ignores SIGPIPE while it feeds stdin; the program starts with the usual handling.
  ::signal(SIGPIPE, SIG_DFL);
  for (const auto& [name, value] : run.environment) {
    ready = ready && ::setenv(name.c_str(), value.c_str(), 1) == 0;
  }
  if (!run.working_folder.empty()) {
    ready = ready && ::chdir(run.working_folder.c_str()) == 0;
  }
  if (ready) {
    ::execvp(pointers[0], pointers.data());
  }
  const int failed = errno;
  const ::ssize_t written = ::write(pipes.failure.writer.number(), &failed, sizeof failed);
  ::_exit(written == sizeof failed ? 127 : 126);
}

// Moves what is there; false at the end of the stream.
bool take(const FileDescriptor& from, std::string& to) {
  std::array<char, 65536> piece;
  const ::ssize_t got = ::read(from.number(), piece.data(), piece.size());
  if (got > 0) {
    to.append(piece.data(), static_cast<std::size_t>(got));
  }
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

class Conversation {
 public:
  Conversation(const ProgramRun& run, ::pid_t child, FileDescriptor in, FileDescriptor out,
               FileDescriptor err)
      : run_(run), child_(child), in_(std::move(in)), out_(std::move(out)), err_(std::move(err)) {
    ::fcntl(in_.number(), F_SETFL, O_NONBLOCK);
  }

  // Feeds stdin and collects both outputs until the program has closed them.
  void hold(ProgramResult& result) {
    const Clock::time_point start = Clock::now();
    while (out_.is_open() || err_.is_open()) {
      std::array<::pollfd, 3> ends{
          {{in_.number(), POLLOUT, 0}, {out_.number(), POLLIN, 0}, {err_.number(), POLLIN, 0}}};
      const int ready = ::poll(ends.data(), ends.size(), milliseconds_left(start));
      if (ready == 0) {
        ::kill(child_, run_.kill_signal);
        killed_ = true;
      }
      if (ready <= 0) {
        continue;
      }
      if (ends[0].revents != 0) {
        feed();
      }
      if (ends[1].revents != 0 && !take(out_, result.out)) {
        out_ = FileDescriptor();
      }
      if (ends[2].revents != 0 && !take(err_, result.err)) {
        err_ = FileDescriptor();
      }
    }
  }

 private:
  // For poll: -1 waits for ever.
  [[nodiscard]] int milliseconds_left(Clock::time_point start) const {
    if (!run_.kill_after_seconds || killed_) {
      return -1;
    }
    const double passed = std::chrono::duration<double>(Clock::now() - start).count();
    return static_cast<int>(std::max(0.0, (*run_.kill_after_seconds - passed) * 1000));
  }

  void feed() {
    const ::ssize_t sent =
        ::write(in_.number(), run_.input.data() + fed_, run_.input.size() - fed_);
    if (sent > 0) {
      fed_ += static_cast<std::size_t>(sent);
    }
    const bool broken = sent < 0 && errno != EINTR && errno != EAGAIN;
    if (broken || fed_ == run_.input.size()) {
      in_ = FileDescriptor();
    }
  }

  const ProgramRun& run_;
  ::pid_t child_;
  FileDescriptor in_;
  FileDescriptor out_;
  FileDescriptor err_;
  std::size_t fed_ = 0;
  bool killed_ = false;
};

}  // namespace

ProgramResult run_program(const std::filesystem::path& program, const ProgramRun& run) {
  Pipes pipes;
  if (run.closed_stdout) {
    pipes.out.reader = FileDescriptor();
  }
  const auto old_handler = ::signal(SIGPIPE, SIG_IGN);
  const Clock::time_point start = Clock::now();
  const ::pid_t child = ::fork();
  if (child < 0) {
    fail("fork");
  }
  if (child == 0) {
    become(program, run, pipes);
  }
  pipes.in.reader = FileDescriptor();
  pipes.out.writer = FileDescriptor();
  pipes.err.writer = FileDescriptor();
  pipes.failure.writer = FileDescriptor();

  ProgramResult result;
  Conversation(run, child, std::move(pipes.in.writer), std::move(pipes.out.reader),
               std::move(pipes.err.reader))
      .hold(result);
  int status = 0;
  struct ::rusage usage {};
  while (::wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) {
      fail("wait4");
    }
  }
  ::signal(SIGPIPE, old_handler);

  int exec_failure = 0;
  if (::read(pipes.failure.reader.number(), &exec_failure, sizeof exec_failure) ==
      sizeof exec_failure) {
    errno = exec_failure;
    fail("start " + program.string());
  }
  result.elapsed_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
  } else {
    result.exit_code = WEXITSTATUS(status);
  }
  return result;
}

}  // namespace hipotool::test
