#include "hipotool/atomic_file.hpp"

#include "hipotool/error.hpp"

#include "io/file_descriptor.hpp"
#include "io/system_error.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fcntl.h>
#include <limits.h>
#include <optional>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hipotool::inline v0 {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSuffix = ".part";

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> text{};
  if (::gethostname(text.data(), text.size() - 1) != 0 || text[0] == '\0') {
    return "localhost";
  }
  return text.data();
}

// ".NAME.<host>." of the hidden siblings of `target`. NAME is shortened where the whole, with the
// longest process id, would be more than a file name may have.
std::string sibling_prefix(const fs::path& target) {
  constexpr std::size_t kLongestPid = 10;
  const std::string host = host_name();
  const std::size_t taken = host.size() + kLongestPid + kSuffix.size() + 3;
  const std::size_t left = taken < NAME_MAX ? NAME_MAX - taken : 0;
  return fmt::format(".{}.{}.", target.filename().string().substr(0, left), host);
}

// Where a chain of symbolic links ends, whether or not something is there.
fs::path follow_links(const fs::path& given) {
  constexpr int kMaxLinks = 40;  // as the kernel
  fs::path at = given;
  for (int links = 0; links <= kMaxLinks; ++links) {
    std::error_code failed;
    const fs::path next = fs::read_symlink(at, failed);
    if (failed) {
      return at;
    }
    at = at.parent_path() / next;  // an absolute `next` replaces the whole
  }
  io::throw_system_error(ELOOP, given.string(), "follow the symbolic link");
}

std::optional<struct ::stat> status_of(const fs::path& path) {
  struct ::stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    return status;
  }
  return std::nullopt;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Makes `from` the file `to` unless that exists: 0 or the system's error number, EEXIST if it does.
int move_without_replacing(const fs::path& from, const fs::path& to,
                           std::vector<std::string>& warnings) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
    return 0;
  }
  // NFS and others cannot rename so; a hard link does not replace either.
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) {
    return errno;
  }
  if (::link(from.c_str(), to.c_str()) != 0) {
    return errno;
  }
  if (::unlink(from.c_str()) != 0) {
    warnings.push_back(
        fmt::format("{}: cannot be removed: {}", from.string(), io::system_reason(errno)));
  }
  return 0;
}

}  // namespace

struct AtomicFile::State {
  std::string given;  // as the caller wrote it: what messages call the file
  fs::path target;
  fs::path temporary;  // empty when there is none
  Existing existing;
  io::FileDescriptor file;
  std::uint64_t size = 0;
  bool renamed = false;
  double sync_seconds = 0;
  std::vector<std::string> warnings;

  State(const fs::path& path, Existing what_to_do) : given(path.string()), existing(what_to_do) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  State(State&&) = delete;
  State& operator=(State&&) = delete;
  ~State() { discard(); }

  void discard() noexcept {
    if (!temporary.empty()) {
      ::unlink(temporary.c_str());
      temporary.clear();
    }
  }

  [[noreturn]] void fail(ErrorCode code, std::string message) const {
    throw Error(code, std::move(message), {.path = given});
  }

  std::optional<struct ::stat> check_target();
  void create(const std::optional<struct ::stat>& replaced);
  void write_all(std::uint64_t offset, ByteSpan bytes);
  void sync_file();
  void rename_to_target();
  void sync_folder();
};

// The status of the file that is to be replaced, if there is one.
std::optional<struct ::stat> AtomicFile::State::check_target() {
  // Through all links at once first: /dev/stdout leads to something that has no name in the end.
  const fs::path path(given);
  if (const auto status = status_of(path); status && !S_ISREG(status->st_mode)) {
    fail(ErrorCode::invalid_argument,
         S_ISDIR(status->st_mode) ? "is a directory" : "is not a regular file");
  }
  target = follow_links(path);
  if (target.filename().empty()) {
    fail(ErrorCode::invalid_argument, "is not the name of a file");
  }
  const auto status = status_of(target);
  if (status && existing == Existing::refuse) {
    fail(ErrorCode::exists, "exists already");
  }
  return status;
}

void AtomicFile::State::create(const std::optional<struct ::stat>& replaced) {
  constexpr ::mode_t kPermissions = 0777;
  const fs::path path =
      target.parent_path() / fmt::format("{}{}{}", sibling_prefix(target), ::getpid(), kSuffix);
  file = io::FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) {
    if (errno == EEXIST) {
      fail(ErrorCode::exists,
           fmt::format("is being written already, or was left unfinished: {}", path.string()));
    }
    io::throw_system_error(errno, given, fmt::format("create {}", path.string()));
  }
  temporary = path;
  if (!replaced) {
    return;
  }
  // Changed only where it differs: file systems without modes refuse any change.
  struct ::stat made {};
  const ::mode_t wanted = replaced->st_mode & kPermissions;
  if (::fstat(file.number(), &made) != 0 ||
      ((made.st_mode & kPermissions) != wanted && ::fchmod(file.number(), wanted) != 0)) {
    io::throw_system_error(errno, given, "keep the mode of the file that is to be replaced");
  }
}

void AtomicFile::State::write_all(std::uint64_t offset, ByteSpan bytes) {
  while (!bytes.empty()) {
    const ::ssize_t written =
        ::pwrite(file.number(), bytes.data(), bytes.size(), static_cast<::off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      io::throw_system_error(errno, given, "write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void AtomicFile::State::sync_file() {
  const auto start = std::chrono::steady_clock::now();
  if (::fsync(file.number()) != 0) {
    io::throw_system_error(errno, given, "sync");
  }
  if (!file.close() && errno != EINTR) {
    io::throw_system_error(errno, given, "close");
  }
  sync_seconds = seconds_since(start);
}

void AtomicFile::State::rename_to_target() {
  if (existing == Existing::replace) {
    if (::rename(temporary.c_str(), target.c_str()) != 0) {
      io::throw_system_error(errno, given, fmt::format("rename {} to it", temporary.string()));
    }
  } else if (const int failed = move_without_replacing(temporary, target, warnings); failed != 0) {
    if (failed == EEXIST) {
      fail(ErrorCode::exists, "was made by somebody else meanwhile");
    }
    io::throw_system_error(failed, given,
                           fmt::format("rename {} to it without replacing", temporary.string()));
  }
  renamed = true;
  temporary.clear();
}

void AtomicFile::State::sync_folder() {
  const auto start = std::chrono::steady_clock::now();
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const io::FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || ::fsync(opened.number()) != 0) {
    // A folder that may be written but not listed cannot be opened, and some file systems cannot
    // sync any. The file is complete all the same.
    const int failed = errno;
    if (opened.is_open() && failed != EINVAL && failed != ENOTSUP) {
      io::throw_system_error(
          failed, given, fmt::format("sync the folder {} of the complete file", folder.string()));
    }
    warnings.push_back(fmt::format("{}: the folder cannot be synced: {}", folder.string(),
                                   io::system_reason(failed)));
  }
  sync_seconds += seconds_since(start);
}

AtomicFile::AtomicFile(const fs::path& target, Existing existing)
    : state_(std::make_unique<State>(target, existing)) {
  state_->create(state_->check_target());
}

AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;
AtomicFile::~AtomicFile() = default;

void AtomicFile::write(ByteSpan bytes) {
  state_->write_all(state_->size, bytes);
  state_->size += bytes.size();
}

void AtomicFile::write_at(std::uint64_t offset, ByteSpan bytes) {
  if (offset > state_->size || bytes.size() > state_->size - offset) {
    state_->fail(ErrorCode::invalid_argument, "only bytes already written can be overwritten");
  }
  state_->write_all(offset, bytes);
}

std::uint64_t AtomicFile::size() const noexcept {
  return state_->size;
}

void AtomicFile::seal() {
  if (state_->file.is_open()) {
    state_->sync_file();
  }
}

void AtomicFile::commit() {
  if (state_->temporary.empty()) {
    state_->fail(ErrorCode::invalid_argument, "cannot be committed twice");
  }
  try {
    seal();
    state_->rename_to_target();
  } catch (...) {
    state_->discard();
    throw;
  }
  state_->sync_folder();
}

const fs::path& AtomicFile::target() const noexcept {
  return state_->target;
}
const fs::path& AtomicFile::temporary() const noexcept {
  return state_->temporary;
}
bool AtomicFile::made_target() const noexcept {
  return state_->renamed && state_->existing == Existing::refuse;
}
double AtomicFile::sync_seconds() const noexcept {
  return state_->sync_seconds;
}
const std::vector<std::string>& AtomicFile::warnings() const noexcept {
  return state_->warnings;
}

std::vector<fs::path> find_orphans(const fs::path& target) {
  const fs::path file = follow_links(target);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string prefix = sibling_prefix(file);
  std::vector<fs::path> orphans;
  std::error_code failed;  // a folder that cannot be listed shows no orphans
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (name.size() <= prefix.size() + kSuffix.size() || !name.starts_with(prefix) ||
        !name.ends_with(kSuffix)) {
      continue;
    }
    const char* first = name.data() + prefix.size();
    const char* last = name.data() + name.size() - kSuffix.size();
    ::pid_t pid = 0;
    const auto parsed = std::from_chars(first, last, pid);
    if (parsed.ec == std::errc() && parsed.ptr == last && pid > 0 && ::kill(pid, 0) != 0 &&
        errno == ESRCH) {
      orphans.push_back(entry->path());
    }
  }
  return orphans;
}

bool same_file(const fs::path& a, const fs::path& b) {
  const auto first = status_of(a);
  const auto second = status_of(b);
  return first && second && first->st_dev == second->st_dev && first->st_ino == second->st_ino;
}

}  // namespace hipotool::inline v0
