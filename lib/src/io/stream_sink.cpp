#include "hipotool/byte_sink.hpp"
#include "hipotool/error.hpp"

#include "io/file_descriptor.hpp"
#include "io/system_error.hpp"
#include "io/waiting.hpp"

#include <climits>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hipotool::inline v0 {

namespace {

// Whether writing may have to wait for a reader.
bool is_regular(int descriptor) {
  struct ::stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

struct StreamSink::State {
  State(int number, std::string text, std::stop_token token)
      : descriptor(number), name(std::move(text)), stop(std::move(token)) {
    if (is_regular(descriptor)) {
      is_file = true;
      return;
    }
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
      return;  // not open for writing, which the first write will show
    }
    // The same pipe once more, for us alone to be non-blocking: the flag belongs to an open file,
    // and whoever started us shares that one.
    unblocked = io::FileDescriptor(::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(),
                                          O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  }

  int descriptor;
  std::string name;
  std::stop_token stop;
  bool is_file = false;
  io::FileDescriptor unblocked{};
  std::uint64_t size = 0;

  // How much may be written at once without waiting for a reader longer than a glance.
  [[nodiscard]] std::size_t most_at_once() const {
    return is_file || unblocked.is_open() ? std::size_t{1} << 30 : std::size_t{PIPE_BUF};
  }
  [[nodiscard]] int target() const { return unblocked.is_open() ? unblocked.number() : descriptor; }
};

StreamSink::StreamSink(int descriptor, std::string name, std::stop_token stop)
    : state_(std::make_unique<State>(descriptor, std::move(name), std::move(stop))) {}
StreamSink::StreamSink(StreamSink&&) noexcept = default;
StreamSink& StreamSink::operator=(StreamSink&&) noexcept = default;
StreamSink::~StreamSink() = default;

void StreamSink::write(ByteSpan bytes) {
  while (!bytes.empty()) {
    with_context([&] { return ErrorContext{.path = state_->name}; },
                 [&] { io::wait_for(state_->target(), POLLOUT, state_->stop); });
    const ::ssize_t written =
        ::write(state_->target(), bytes.data(), std::min(bytes.size(), state_->most_at_once()));
    if (written < 0) {
      if (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK) {
        continue;
      }
      io::throw_system_error(errno, state_->name, "write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    state_->size += static_cast<std::uint64_t>(written);
  }
}

void StreamSink::write_at(std::uint64_t /*offset*/, ByteSpan /*bytes*/) {
  throw Error(ErrorCode::invalid_argument, "what was written to a stream cannot be written over",
              {.path = state_->name});
}

std::uint64_t StreamSink::size() const noexcept {
  return state_->size;
}

void StreamSink::close() {
  state_->unblocked = {};
  if (::close(std::exchange(state_->descriptor, -1)) != 0 && errno != EINTR) {
    io::throw_system_error(errno, state_->name, "close");
  }
}

}  // namespace hipotool::inline v0
