#include "io/waiting.hpp"

#include "hipotool/error.hpp"

#include <cerrno>
#include <poll.h>

namespace hipotool::inline v0::io {

namespace {

// How long a request to stop may go unnoticed.
constexpr int kGlanceMilliseconds = 100;

}  // namespace

void wait_for(int descriptor, short events, const std::stop_token& stop,
              const std::atomic<bool>* abandoned) {
  while (true) {
    if (stop.stop_requested() || (abandoned != nullptr && *abandoned)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
    ::pollfd end{descriptor, events, 0};
    const int ready = ::poll(&end, 1, kGlanceMilliseconds);
    if (ready > 0 || (ready < 0 && errno != EINTR)) {
      return;
    }
  }
}

}  // namespace hipotool::inline v0::io
