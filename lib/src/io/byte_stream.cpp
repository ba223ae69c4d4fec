#include "hipotool/byte_stream.hpp"

#include "hipotool/error.hpp"

#include "io/system_error.hpp"
#include "io/waiting.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace hipotool::inline v0 {

namespace {

// The system reads no more at once.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

}  // namespace

ByteStream::ByteStream(int descriptor, std::string name, std::stop_token stop)
    : descriptor_(descriptor), name_(std::move(name)), stop_(std::move(stop)) {}

void ByteStream::wait() {
  with_context([&] { return ErrorContext{.path = name_}; },
               [&] { io::wait_for(descriptor_, POLLIN, stop_, &abandoned_); });
}

std::size_t ByteStream::read(MutableByteSpan out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    wait();
    const std::size_t wanted = std::min(out.size() - filled, kMostAtOnce);
    const ::ssize_t got = ::read(descriptor_, out.data() + filled, wanted);
    if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) {
      continue;
    }
    if (got < 0) {
      io::throw_system_error(errno, name_, "read");
    }
    if (got == 0) {
      break;
    }
    filled += static_cast<std::size_t>(got);
    position_ += static_cast<std::uint64_t>(got);
  }
  return filled;
}

}  // namespace hipotool::inline v0
