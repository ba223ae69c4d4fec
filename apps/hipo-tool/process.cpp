#include "process.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>

namespace hipotool::app {

namespace {

constexpr std::array<int, 3> kStopSignals{SIGINT, SIGTERM, SIGHUP};
constexpr int kLargeAllocation = 2 << 20;

bool is_ignored(int signal) {
  struct ::sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void close_if_open(int descriptor) {
  if (descriptor >= 0) {
    ::close(descriptor);
  }
}

int checked(int descriptor, const char* what) {
  if (descriptor < 0) {
    throw std::system_error(errno, std::generic_category(), what);
  }
  return descriptor;
}

}  // namespace

void prepare_process() {
  // Fixed, since glibc would raise it as large buffers come and go; they then share arenas with
  // small objects, which hold on to the pages, and the peak grows with the length of the run.
  ::mallopt(M_MMAP_THRESHOLD, kLargeAllocation);
  // What is freed at the end of an arena is used again at once; giving it back each time costs
  // more.
  ::mallopt(M_TRIM_THRESHOLD, 2 * kLargeAllocation);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
      // The opposite mode, so that using it is an error, as it was. The lowest free number is
      // `stream`.
      const int opened = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
      if (opened != stream) {
        close_if_open(opened);
      }
    }
  }
  struct ::rlimit files {};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

Interrupts::Interrupts() {
  ::sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : kStopSignals) {
    if (!is_ignored(signal)) {
      ::sigaddset(&set, signal);
    }
  }
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = checked(::signalfd(-1, &set, SFD_CLOEXEC), "signalfd");
  done_ = checked(::eventfd(0, EFD_CLOEXEC), "eventfd");
  thread_ = std::jthread([this] { watch(); });
}

Interrupts::~Interrupts() {
  const std::uint64_t one = 1;
  if (::write(done_, &one, sizeof one) == sizeof one) {
    thread_.join();
  } else {
    thread_.detach();
  }
  close_if_open(signals_);
  close_if_open(done_);
}

int Interrupts::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

AtomicFile Interrupts::create(const std::filesystem::path& target, AtomicFile::Existing existing) {
  // Under the lock, so that there is no moment when the file exists and nobody knows of it.
  const std::lock_guard lock(mutex_);
  AtomicFile file(target, existing);
  temporaries_.insert(file.temporary());
  return file;
}

void Interrupts::watch() {
  std::array<::pollfd, 2> ends{{{signals_, POLLIN, 0}, {done_, POLLIN, 0}}};
  while (true) {
    if (::poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) {
      return;
    }
    if (ends[1].revents != 0) {
      return;
    }
    ::signalfd_siginfo info{};
    if (ends[0].revents == 0 || ::read(signals_, &info, sizeof info) != sizeof info) {
      continue;
    }
    mutex_.lock();
    if (received_ != 0) {
      // Never unlocked again: no file can be made any more.
      for (const std::filesystem::path& temporary : temporaries_) {
        ::unlink(temporary.c_str());
      }
      ::_exit(128 + received_);
    }
    received_ = static_cast<int>(info.ssi_signo);
    mutex_.unlock();
    source_.request_stop();
  }
}

}  // namespace hipotool::app
