#include "hipotool/byte_source.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "io/file_descriptor.hpp"
#include "io/system_error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hipotool::inline v0 {

namespace {

void require_inside(const ByteSource& source, std::uint64_t offset, std::uint64_t wanted_bytes) {
  const std::uint64_t size = source.size();
  if (offset > size || wanted_bytes > size - offset) {
    throw Error(ErrorCode::truncated,
                fmt::format("{} wanted at {:#x}, but there are only {} in all",
                            counted(wanted_bytes, "byte"), offset, size),
                {.path = source.name()});
  }
}

class FileSource final : public ByteSource {
 public:
  FileSource(io::FileDescriptor file, const struct ::stat& status, std::string name)
      : file_(std::move(file)),
        size_(static_cast<std::uint64_t>(status.st_size)),
        modified_(status.st_mtim),
        name_(std::move(name)) {}

  void read_at(std::uint64_t offset, MutableByteSpan out) const override {
    require_inside(*this, offset, out.size());
    while (!out.empty()) {
      const ::ssize_t got =
          ::pread(file_.number(), out.data(), out.size(), static_cast<::off_t>(offset));
      if (got < 0) {
        if (errno == EINTR) {
          continue;
        }
        io::throw_system_error(errno, name_, fmt::format("read at {:#x}", offset));
      }
      if (got == 0) {
        throw Error(ErrorCode::changed,
                    fmt::format("the file ends at or before {:#x}, but had {} when it was opened",
                                offset, counted(size_, "byte")),
                    {.path = name_});
      }
      out = out.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
  }

  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  [[nodiscard]] const std::string& name() const noexcept override { return name_; }

  void require_unchanged() const override {
    struct ::stat now {};
    if (::fstat(file_.number(), &now) != 0) {
      io::throw_system_error(errno, name_, "look at the file again");
    }
    if (static_cast<std::uint64_t>(now.st_size) != size_) {
      throw Error(ErrorCode::changed,
                  fmt::format("the file has {} now and had {} when it was opened",
                              counted(static_cast<std::uint64_t>(now.st_size), "byte"), size_),
                  {.path = name_});
    }
    if (now.st_mtim.tv_sec != modified_.tv_sec || now.st_mtim.tv_nsec != modified_.tv_nsec) {
      throw Error(ErrorCode::changed, "the file was modified while it was being read",
                  {.path = name_});
    }
  }

 private:
  io::FileDescriptor file_;
  std::uint64_t size_;
  struct ::timespec modified_;
  std::string name_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(Buffer bytes, std::string name) : bytes_(std::move(bytes)), name_(std::move(name)) {}

  void read_at(std::uint64_t offset, MutableByteSpan out) const override {
    require_inside(*this, offset, out.size());
    if (!out.empty()) {
      std::memcpy(out.data(), bytes_.data() + offset, out.size());
    }
  }

  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  void require_unchanged() const override {}

 private:
  Buffer bytes_;
  std::string name_;
};

}  // namespace

std::shared_ptr<const ByteSource> open_file(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe that nobody writes must not hang before it is refused. Regular files
  // do not know the flag.
  io::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.is_open()) {
    io::throw_system_error(errno, path.string(), "open");
  }
  struct ::stat status {};
  if (::fstat(file.number(), &status) != 0) {
    io::throw_system_error(errno, path.string(), "look at the file");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::invalid_argument,
                S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file",
                {.path = path.string()});
  }
  return std::make_shared<FileSource>(std::move(file), status, path.string());
}

std::shared_ptr<const ByteSource> memory_source(Buffer bytes, std::string name) {
  return std::make_shared<MemorySource>(std::move(bytes), std::move(name));
}

}  // namespace hipotool::inline v0
