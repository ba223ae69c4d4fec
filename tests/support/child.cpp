#include "support/child.hpp"

#include "hipotool/error.hpp"

#include "io/file_descriptor.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace hipotool::test {

namespace {

std::string outcome_of(const std::function<std::string()>& work) {
  try {
    return work();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  } catch (const std::exception& other) {
    return std::string("exception: ") + other.what();
  }
}

::sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

// Skips `skip` instructions unless the loaded word is `value`.
::sock_filter unless_equal(int value, std::uint8_t skip) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(value), 0, skip);
}

::sock_filter answer(std::uint32_t action) {
  return BPF_STMT(BPF_RET | BPF_K, action);
}

}  // namespace

std::string run_in_child(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  const io::FileDescriptor reader(ends[0]);
  io::FileDescriptor writer(ends[1]);
  const ::pid_t child = ::fork();
  if (child == 0) {
    const std::string outcome = outcome_of(work);
    const ::ssize_t written = ::write(writer.number(), outcome.data(), outcome.size());
    ::_exit(written == static_cast<::ssize_t>(outcome.size()) ? 0 : 1);
  }
  writer = io::FileDescriptor();
  std::string outcome;
  std::array<char, 4096> piece;
  for (::ssize_t got = 0; (got = ::read(reader.number(), piece.data(), piece.size())) > 0;) {
    outcome.append(piece.data(), static_cast<std::size_t>(got));
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) {
    throw std::system_error(errno, std::generic_category(), "child");
  }
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : outcome;
}

void make_syscalls_fail(std::initializer_list<SyscallFault> faults) {
  // Little-endian: the low half of an argument comes first.
  constexpr std::size_t kArgument = offsetof(::seccomp_data, args);
  std::vector<::sock_filter> program;
  for (const SyscallFault& fault : faults) {
    const bool only = fault.only_argument >= 0;
    const bool except = fault.except_argument >= 0;
    const std::uint8_t rest = only ? 3 : except ? 4 : 1;
    program.push_back(load(offsetof(::seccomp_data, nr)));
    program.push_back(unless_equal(fault.number, rest));
    if (only) {
      program.push_back(load(kArgument));
      program.push_back(unless_equal(fault.only_argument, 1));
    } else if (except) {
      program.push_back(load(kArgument));
      program.push_back(unless_equal(fault.except_argument, 1));
      program.push_back(answer(SECCOMP_RET_ALLOW));
    }
    program.push_back(answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(fault.error_number)));
  }
  program.push_back(answer(SECCOMP_RET_ALLOW));
  const ::sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    throw std::system_error(errno, std::generic_category(), "seccomp");
  }
}

void become_ordinary_user() {
  constexpr ::uid_t kNobody = 65534;
  if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
    throw std::system_error(errno, std::generic_category(), "setuid");
  }
}

}  // namespace hipotool::test
