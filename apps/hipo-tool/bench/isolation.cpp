#include "bench/isolation.hpp"

#include "hipotool/error.hpp"

#include "machine.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hipotool::app::bench {

namespace {

// What a child tells its parent.
struct Report {
  Moment elapsed{};
  std::uint64_t checksum = 0;
  std::uint64_t peak_memory_bytes = 0;
  ErrorCode code = ErrorCode::io;
  bool failed = false;
  std::array<char, 512> message{};
};

void fail(Report& report, ErrorCode code, std::string_view text) {
  report.failed = true;
  report.code = code;
  text = text.substr(0, report.message.size() - 1);
  std::memcpy(report.message.data(), text.data(), text.size());
}

[[noreturn]] void run_child(const TimedCell& cell, Clock& clock, int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Report report;
  try {
    Stopwatch warm_up(clock);
    static_cast<void>(cell.run(warm_up));
    Stopwatch watch(clock);
    report.checksum = cell.run(watch);
    report.elapsed = watch.elapsed();
    report.peak_memory_bytes = peak_memory_bytes();
  } catch (const Error& error) {
    fail(report, error.code(), error.what());
  } catch (const std::exception& error) {
    fail(report, ErrorCode::io, error.what());
  }
  const ::ssize_t written = ::write(pipe, &report, sizeof report);
  ::_exit(written == static_cast<::ssize_t>(sizeof report) ? 0 : 1);
}

[[noreturn]] void refuse(std::string_view what) {
  throw Error(ErrorCode::io, std::string(what) + ": " + std::strerror(errno));
}

bool read_report(int pipe, Report& report) {
  std::array<std::byte, sizeof(Report)> bytes{};
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ::ssize_t got = ::read(pipe, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
    filled += static_cast<std::size_t>(got);
  }
  std::memcpy(&report, bytes.data(), sizeof report);
  return true;
}

Report run_apart(const TimedCell& cell, Clock& clock) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    refuse("pipe");
  }
  const ::pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    refuse("fork");
  }
  if (child == 0) {
    ::close(ends[0]);
    run_child(cell, clock, ends[1]);
  }
  ::close(ends[1]);
  Report report;
  const bool arrived = read_report(ends[0], report);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!arrived) {
    throw Error(ErrorCode::io, cell.name + ": the process that measured it ended early");
  }
  return report;
}

}  // namespace

TimedCell isolate(const TimedCell& cell, Clock& clock, std::uint64_t& peak_memory_bytes) {
  TimedCell apart = cell;
  apart.rule.warm_ups = 0;  // each child does that
  apart.run = [cell, &clock, &peak_memory_bytes](Stopwatch& watch) {
    const Report report = run_apart(cell, clock);
    if (report.failed) {
      throw Error(report.code, cell.name + ": " + report.message.data());
    }
    watch.add(report.elapsed);
    peak_memory_bytes = std::max(peak_memory_bytes, report.peak_memory_bytes);
    return report.checksum;
  };
  return apart;
}

}  // namespace hipotool::app::bench
