#pragma once
// What every command receives besides its own options: threads, memory, a log, a report writer, and
// notice that it has been asked to stop. One for each run of the program.

#include "hipotool/atomic_file.hpp"
#include "hipotool/error.hpp"

#include "common_options.hpp"
#include "log.hpp"
#include "output.hpp"
#include "process.hpp"
#include "report/writer.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

namespace hipotool::app {

// For commands that read a file and do not salvage it.
constexpr const char* kDamageAdvice =
    "what can be read of a damaged file: hipo-tool recook FILE OUT --salvage";

class Invocation {
 public:
  Invocation(const CommonOptions& options, Interrupts& interrupts);

  [[nodiscard]] unsigned threads() const noexcept { return threads_; }
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept { return memory_bytes_; }
  [[nodiscard]] std::stop_token stop() const { return interrupts_->token(); }
  // Whether -j or --memory was given.
  [[nodiscard]] bool has_running_options() const noexcept {
    return options_.threads || options_.memory_bytes;
  }
  [[nodiscard]] bool quiet() const noexcept { return options_.quiet; }
  // Text unless something else was asked for.
  [[nodiscard]] ReportFormat format() const noexcept;
  [[nodiscard]] bool json() const noexcept { return format() == ReportFormat::json; }
  // Whether a report is to be written at all: not as text with --quiet, unless into a file.
  [[nodiscard]] bool wants_report() const noexcept;
  [[nodiscard]] Log& log() noexcept { return log_; }

  // Opens the place for the report, before long work starts, so that a wrong path is known early.
  // Throws UsageError where the file is one of `files`, which the command reads or writes.
  void open_report(std::span<const std::filesystem::path> files);
  // HIPO bytes go to stdout, so the report does not: to stderr, unless it has a file.
  void keep_stdout_free();
  [[nodiscard]] Output& output();
  [[nodiscard]] ReportWriter& report();

  // The file that a command makes; a stop, however impatient, does not leave it behind half
  // written. Names on the log what dead processes left beside it. Error{exists} without `force`, if
  // it is there.
  [[nodiscard]] AtomicFile create_target(const std::filesystem::path& target, bool force);

  // The exit code if the command ended now; only ever set by the command itself.
  void set_status(int status) noexcept { status_ = status; }
  [[nodiscard]] int status() const noexcept { return status_; }

  // `what` is complete and has its name; a failure after that is one of the report alone, and says
  // so.
  void note_written(const std::string& what);
  [[nodiscard]] Error explained(const Error& error) const;

  // Sends off what has been written so far, because something else failed; a failure of its own is
  // of no interest then.
  void flush_before_failing() noexcept;
  // Says what went wrong: a line for people, or in JSON mode one object (docs/schema/error.json).
  void complain(const Error& error);
  // What to say after that where a file turned out to be damaged.
  void advise_on_damage(std::string advice) { advice_ = std::move(advice); }
  // Checks that all of stdout or the report file has really been written.
  void close_output();

 private:
  CommonOptions options_;
  Interrupts* interrupts_;
  unsigned threads_;
  std::uint64_t memory_bytes_;
  Log log_;
  std::optional<Output> output_{};
  std::unique_ptr<ReportWriter> report_{};
  int status_ = 0;
  std::string advice_{};
  std::string written_{};
};

}  // namespace hipotool::app
