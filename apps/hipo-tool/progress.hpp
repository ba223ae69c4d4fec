#pragma once
// One line on stderr that tells how far a command has come. Only where stderr is a terminal; a
// batch job's log stays short. One thread at a time.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace hipotool::app {

// Bytes of the input, and what they have become so far.
struct ProgressState {
  std::uint64_t records_done = 0;
  std::uint64_t records_total = 0;  // 0: not known
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_total = 0;  // 0: not known
  std::uint64_t bytes_written = 0;
};

class Progress {
 public:
  explicit Progress(bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;
  ~Progress();

  // Shows it if the last time is a while ago.
  void update(const ProgressState& state);
  // The same with words of its own.
  void tell(const std::string& line);
  // Takes the line away, so that other lines can follow.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool is_due();
  void replace(const std::string& line);

  bool active_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

// "record 17/120  184 MB/s  ratio 2.41  12 s left"
[[nodiscard]] std::string progress_line(const ProgressState& state, double elapsed_seconds);

}  // namespace hipotool::app
