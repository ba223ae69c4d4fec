#include "output.hpp"

#include "hipotool/error.hpp"

#include <cerrno>
#include <fcntl.h>
#include <span>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hipotool::app {

namespace {

// A line of `dump` is a few kilobytes; this many bytes make system calls rare.
constexpr std::size_t kBufferBytes = std::size_t{256} << 10U;

[[noreturn]] void fail(int error_number, const std::string& name) {
  if (error_number == EPIPE) {
    throw ClosedPipe();
  }
  const bool full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
  throw Error(full ? ErrorCode::no_space : ErrorCode::io,
              "cannot write: " + std::generic_category().message(error_number), {.path = name});
}

}  // namespace

Output::Output(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {}

Output Output::to_stdout() {
  return Output(STDOUT_FILENO, "standard output");
}

Output Output::to_stderr() {
  // Closing it must not end what the log has to say.
  const int descriptor = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (descriptor < 0) {
    fail(errno, "standard error");
  }
  return Output(descriptor, "standard error");
}

Output Output::to_file(AtomicFile file) {
  Output output(-1, file.target().string());
  output.file_.emplace(std::move(file));
  return output;
}

Output Output::to_device(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) {
    fail(errno, path.string());
  }
  return Output(descriptor, path.string());
}

Output::Output(Output&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      file_(std::move(other.file_)),
      name_(std::move(other.name_)),
      buffer_(std::move(other.buffer_)),
      color_(other.color_) {}

Output::~Output() {
  if (descriptor_ > STDERR_FILENO) {
    ::close(descriptor_);
  }
}

void Output::choose_color(ColorMode mode) {
  color_ = !file_ && wants_color(mode, descriptor_);
}

void Output::write(std::string_view text) {
  if (buffer_.size() + text.size() > kBufferBytes) {
    flush();
  }
  if (text.size() >= kBufferBytes) {
    send(text);
  } else {
    buffer_ += text;
  }
}

void Output::flush() {
  // Emptied first: what failed once is not tried again by close().
  const std::string pending = std::exchange(buffer_, {});
  send(pending);
}

void Output::close() {
  flush();
  if (file_) {
    file_->commit();
    file_.reset();
  } else if (const int descriptor = std::exchange(descriptor_, -1);
             descriptor >= 0 && ::close(descriptor) != 0) {
    fail(errno, name_);
  }
}

void Output::send(std::string_view text) {
  if (file_) {
    file_->write(std::as_bytes(std::span(text)));
    return;
  }
  while (!text.empty()) {
    const ::ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      fail(errno, name_);
    }
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
}

}  // namespace hipotool::app
