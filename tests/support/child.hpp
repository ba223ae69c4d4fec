#pragma once
// Runs a piece of a test in a forked process, for what cannot be undone: limits, umask, user,
// system calls that fail.

#include <functional>
#include <initializer_list>
#include <string>

namespace hipotool::test {

// What `work` returned; "CODE: text" of an Error that left it; or "signal N".
// Nothing in the child but `work` runs: no destructor of the parent's objects, no test listener.
[[nodiscard]] std::string run_in_child(const std::function<std::string()>& work);

// For the child: from now on the system call fails with `error_number`; only where its first
// argument is `only_argument` or is not `except_argument`, if one is given.
struct SyscallFault {
  int number;        // SYS_fsync
  int error_number;  // EIO
  int only_argument = -1;
  int except_argument = -1;
};
void make_syscalls_fail(std::initializer_list<SyscallFault> faults);

// For the child: root can do anything, so become somebody who cannot. Nothing for other users.
void become_ordinary_user();

}  // namespace hipotool::test
