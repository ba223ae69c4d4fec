#include "support/limits.hpp"

#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace hipotool::test {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// What RLIMIT_DATA counts.
std::uint64_t data_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmData:") {
      std::uint64_t kilobytes = 0;
      status >> kilobytes;
      return 1024 * kilobytes;
    }
  }
  return 0;
}

}  // namespace

bool is_sanitized() noexcept {
  return kSanitized;
}

void limit_memory_growth(std::uint64_t bytes) {
  ::rlimit limit{};
  if (!kSanitized && ::getrlimit(RLIMIT_DATA, &limit) == 0) {
    limit.rlim_cur = data_bytes() + bytes;
    ::setrlimit(RLIMIT_DATA, &limit);
  }
}

void limit_time(unsigned seconds) {
  ::alarm(seconds);
}

}  // namespace hipotool::test
