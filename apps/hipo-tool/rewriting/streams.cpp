#include "rewriting/streams.hpp"

#include "hipotool/byte_stream.hpp"

#include "arguments.hpp"
#include "invocation.hpp"
#include "rewriting/rewriting_options.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace hipotool::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kStandardInput = "standard input";
constexpr const char* kStandardOutput = "standard output";

// A terminal shows bytes to somebody who cannot read them, and knows nothing of records.
void refuse_terminal(int descriptor, const char* what) {
  if (::isatty(descriptor) == 1) {
    throw UsageError(std::string("'-': ") + what +
                     " is a terminal; HIPO bytes need a pipe or file");
  }
}

void require_input(const Operands& operands, const RewritingOptions& options) {
  const auto streams = std::count_if(operands.inputs.begin(), operands.inputs.end(), names_stream);
  if (streams == 0) {
    return;
  }
  if (streams > 1) {
    throw UsageError("'-' is given twice as an input; standard input comes once");
  }
  if (options.dry_run) {
    throw UsageError("--dry-run needs to know the inputs, and '-' can be read but once");
  }
  refuse_terminal(STDIN_FILENO, kStandardInput);
}

void require_output(const Operands& operands, const RewritingOptions& options) {
  if (!operands.output || !names_stream(*operands.output)) {
    return;
  }
  if (options.dry_run) {
    throw UsageError("--dry-run writes nothing, so '-' as OUT has no meaning");
  }
  if (options.verify == Verify::file) {
    throw UsageError("--verify file: what was written to '-' cannot be read again");
  }
  if (options.force || options.skip_existing) {
    throw UsageError("--force and --skip-existing are for a file; '-' is none");
  }
  refuse_terminal(STDOUT_FILENO, kStandardOutput);
}

}  // namespace

bool names_stream(const fs::path& operand) {
  return operand == "-";
}

std::string input_name(const fs::path& operand) {
  return names_stream(operand) ? kStandardInput : operand.string();
}

std::string output_name(const fs::path& operand) {
  return names_stream(operand) ? kStandardOutput : operand.string();
}

fs::path path_behind_input(const fs::path& operand) {
  return names_stream(operand) ? fs::path("/proc/self/fd/0") : operand;
}

fs::path path_behind_output(const fs::path& operand) {
  return names_stream(operand) ? fs::path("/proc/self/fd/1") : operand;
}

void require_streams(const Operands& operands, const RewritingOptions& options) {
  if (options.dictionary && names_stream(*options.dictionary)) {
    throw UsageError("--dict: a dictionary cannot be borrowed from '-'");
  }
  require_input(operands, options);
  require_output(operands, options);
}

std::unique_ptr<FileReader> open_input(const fs::path& operand, ReaderOptions reading,
                                       const Invocation& invocation) {
  if (!names_stream(operand)) {
    return std::make_unique<FileReader>(operand, reading);
  }
  // Besides the record that is being read another one waits.
  reading.stream_record_bytes = invocation.memory_bytes() / 2;
  return std::make_unique<FileReader>(
      std::make_shared<ByteStream>(STDIN_FILENO, kStandardInput, invocation.stop()), reading);
}

ByteSink& Target::sink() {
  return std::visit([](auto& target) -> ByteSink& { return target; }, target_);
}

void Target::commit() {
  if (auto* const file = std::get_if<AtomicFile>(&target_)) {
    file->commit();
  } else {
    std::get<StreamSink>(target_).close();
  }
}

double Target::sync_seconds() const {
  const auto* const file = std::get_if<AtomicFile>(&target_);
  return file != nullptr ? file->sync_seconds() : 0;
}

std::vector<std::string> Target::warnings() const {
  const auto* const file = std::get_if<AtomicFile>(&target_);
  return file != nullptr ? file->warnings() : std::vector<std::string>{};
}

Target open_target(const fs::path& operand, bool force, Invocation& invocation) {
  if (!names_stream(operand)) {
    return Target(invocation.create_target(operand, force));
  }
  return Target(StreamSink(STDOUT_FILENO, kStandardOutput, invocation.stop()));
}

}  // namespace hipotool::app
