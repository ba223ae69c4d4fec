#include "bench/cold_pages.hpp"

#include "hipotool/error.hpp"

#include "bench/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/uio.h>
#include <unistd.h>

namespace hipotool::app::bench {

namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kProbes = 256;
// Others may read the file meanwhile, and read-ahead comes in large pieces.
constexpr double kResidentAtMost = 0.05;
constexpr int kAttempts = 3;

}  // namespace

ColdPages::ColdPages(const std::filesystem::path& path, Ownership ownership)
    : path_(path), descriptor_(-1) {
  if (lives_in_memory(path)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("--cold: the file lies on {}, whose pages are in memory and nowhere "
                            "else",
                            file_system_of(path)),
                {.path = path.string()});
  }
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw Error(ErrorCode::io, std::strerror(errno), {.path = path.string()});
  }
  if (ownership == Ownership::ours && ::fsync(descriptor_) != 0) {
    const std::string reason = std::strerror(errno);
    ::close(descriptor_);
    throw Error(ErrorCode::io, "fsync: " + reason, {.path = path.string()});
  }
}

ColdPages::~ColdPages() {
  ::close(descriptor_);
}

void ColdPages::evict() {
  double resident = 1;
  for (int attempt = 0; attempt < kAttempts && resident > kResidentAtMost; ++attempt) {
    if (const int error = ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED); error != 0) {
      throw Error(ErrorCode::io, std::string("posix_fadvise: ") + std::strerror(error),
                  {.path = path_.string()});
    }
    resident = resident_share();
  }
  if (resident > kResidentAtMost) {
    throw Error(ErrorCode::unsupported,
                fmt::format("--cold: {:.0f} % of the file's pages stay in memory", 100 * resident),
                {.path = path_.string()});
  }
}

double ColdPages::resident_share() const {
  const auto bytes =
      static_cast<std::uint64_t>(std::max<::off_t>(::lseek(descriptor_, 0, SEEK_END), 0));
  const std::uint64_t pages = (bytes + kPageBytes - 1) / kPageBytes;
  const std::uint64_t probes = std::min(pages, kProbes);
  if (probes == 0) {
    return 0;
  }
  std::uint64_t resident = 0;
  for (std::uint64_t i = 0; i < probes; ++i) {
    char byte = 0;
    const ::iovec place{.iov_base = &byte, .iov_len = 1};
    const auto offset = static_cast<::off_t>(i * pages / probes * kPageBytes);
    // Without waiting it gives what is there already.
    const ::ssize_t got = ::preadv2(descriptor_, &place, 1, offset, RWF_NOWAIT);
    if (got < 0 && errno != EAGAIN) {
      throw Error(ErrorCode::unsupported,
                  std::string("--cold: the file system does not say which pages are in memory: ") +
                      std::strerror(errno),
                  {.path = path_.string()});
    }
    resident += got > 0 ? 1 : 0;
  }
  return static_cast<double>(resident) / static_cast<double>(probes);
}

}  // namespace hipotool::app::bench
