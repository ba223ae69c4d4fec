#include "invocation.hpp"

#include "arguments.hpp"
#include "machine.hpp"
#include "report/error_text.hpp"

#include <algorithm>
#include <string>

namespace hipotool::app {

namespace fs = std::filesystem;

namespace {

// More threads than this rarely pay on the file systems that the files lie on, and take a job's
// memory.
constexpr unsigned kDefaultThreadsAtMost = 16;

std::uint64_t default_memory_bytes() {
  constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30U;
  const std::optional<std::uint64_t> limit = read_group_limits("/").memory_bytes;
  return limit ? std::min(kGibibyte, *limit / 5 * 4) : kGibibyte;
}

Output open_report_file(const fs::path& path, Interrupts& interrupts) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    return Output::to_device(path);
  }
  return Output::to_file(interrupts.create(path, AtomicFile::Existing::replace));
}

}  // namespace

Invocation::Invocation(const CommonOptions& options, Interrupts& interrupts)
    : options_(options),
      interrupts_(&interrupts),
      threads_(options.threads.value_or(std::min(usable_cpus(), kDefaultThreadsAtMost))),
      memory_bytes_(options.memory_bytes.value_or(default_memory_bytes())),
      log_(options.quiet, options.color) {}

ReportFormat Invocation::format() const noexcept {
  return options_.format.value_or(ReportFormat::text);
}

bool Invocation::wants_report() const noexcept {
  return !options_.quiet || options_.format || options_.report_file;
}

void Invocation::open_report(std::span<const fs::path> files) {
  if (!options_.report_file) {
    return;
  }
  const fs::path path = *options_.report_file;
  for (const fs::path& file : files) {
    if (file == "-") {
      continue;
    }
    const bool same_name =
        fs::absolute(path).lexically_normal() == fs::absolute(file).lexically_normal();
    if (same_name || same_file(path, file)) {
      throw UsageError("--report-file: " + path.string() + " is a file that the command works on");
    }
  }
  output_.emplace(open_report_file(path, *interrupts_));
}

void Invocation::keep_stdout_free() {
  if (!output_) {
    output_.emplace(Output::to_stderr());
    output_->choose_color(options_.color);
  }
}

Output& Invocation::output() {
  if (!output_) {
    output_.emplace(Output::to_stdout());
    output_->choose_color(options_.color);
  }
  return *output_;
}

ReportWriter& Invocation::report() {
  if (report_ == nullptr) {
    report_ = make_report_writer(format(), output());
  }
  return *report_;
}

AtomicFile Invocation::create_target(const fs::path& target, bool force) {
  for (const fs::path& orphan : find_orphans(target)) {
    log_.warning(orphan.string() +
                 ": left behind by a process that is gone; nobody needs it any more");
  }
  try {
    return interrupts_->create(
        target, force ? AtomicFile::Existing::replace : AtomicFile::Existing::refuse);
  } catch (const Error& error) {
    std::error_code ignored;
    if (error.code() == ErrorCode::exists && !force && fs::exists(target, ignored)) {
      throw Error(ErrorCode::exists, "exists already; --force replaces it", error.context());
    }
    throw;
  }
}

void Invocation::note_written(const std::string& what) {
  written_ += (written_.empty() ? "" : ", ") + what;
}

Error Invocation::explained(const Error& error) const {
  if (written_.empty()) {
    return error;
  }
  return Error(
      error.code(),
      error.message() + "; only the report is lost, what was written is complete: " + written_,
      error.context());
}

void Invocation::flush_before_failing() noexcept {
  try {
    if (output_) {
      output_->flush();
    }
  } catch (const std::exception&) {
    return;
  }
}

void Invocation::complain(const Error& error) {
  const bool damage = error.code() == ErrorCode::corrupt || error.code() == ErrorCode::checksum ||
                      error.code() == ErrorCode::truncated;
  const bool advised = error.message().find("--salvage") != std::string::npos;
  const bool advises = damage && !advised && !error.context().path.empty();
  if (json()) {
    log_.line(error_json(error, advises ? advice_ : ""));
    return;
  }
  log_.error(error.what());
  if (advises && !advice_.empty()) {
    log_.notice(advice_);
  }
}

void Invocation::close_output() {
  output().close();
}

}  // namespace hipotool::app
