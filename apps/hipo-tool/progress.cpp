#include "progress.hpp"

#include "report/writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unistd.h>

namespace hipotool::app {

namespace {

constexpr std::chrono::milliseconds kInterval{200};

void show(std::string_view text) {
  // Nothing depends on whether it arrives.
  [[maybe_unused]] const ::ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string time_left(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
  if (whole < 100) {
    return fmt::format("{} s left", whole);
  }
  if (whole < 6000) {
    return fmt::format("{} min left", (whole + 59) / 60);
  }
  return fmt::format("{} h {:02} min left", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string progress_line(const ProgressState& state, double elapsed_seconds) {
  std::string line = fmt::format("record {}", state.records_done);
  if (state.records_total > 0) {
    line += fmt::format("/{}", state.records_total);
  }
  const auto done = static_cast<double>(state.bytes_done);
  if (elapsed_seconds > 0) {
    line += "  " + readable({"", Unit::bytes_per_second}, done / elapsed_seconds);
  }
  if (state.bytes_written > 0 && state.bytes_done > 0) {
    line += fmt::format("  ratio {:.2f}", done / static_cast<double>(state.bytes_written));
  }
  if (state.bytes_total > state.bytes_done && state.bytes_done > 0) {
    line += "  " + time_left(static_cast<double>(state.bytes_total - state.bytes_done) *
                             elapsed_seconds / done);
  }
  return line;
}

Progress::Progress(bool quiet) : active_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  clear();
}

void Progress::update(const ProgressState& state) {
  if (is_due()) {
    replace(progress_line(state, std::chrono::duration<double>(last_ - start_).count()));
  }
}

void Progress::tell(const std::string& line) {
  if (is_due()) {
    replace(line);
  }
}

bool Progress::is_due() {
  const Clock::time_point now = Clock::now();
  if (!active_ || now - last_ < kInterval) {
    return false;
  }
  last_ = now;
  return true;
}

void Progress::replace(const std::string& line) {
  shown_ = true;
  // Back to the start, the text, and nothing of the old line after it.
  show("\r" + line + "\x1b[K");
}

void Progress::clear() {
  if (shown_) {
    show("\r\x1b[K");
    shown_ = false;
  }
}

}  // namespace hipotool::app
