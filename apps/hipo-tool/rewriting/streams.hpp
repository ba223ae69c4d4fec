#pragma once
// "-" as an operand of a command that rewrites: HIPO bytes from standard input or to standard
// output.

#include "hipotool/atomic_file.hpp"
#include "hipotool/byte_sink.hpp"
#include "hipotool/reader.hpp"

#include "options.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace hipotool::app {

class Invocation;
struct RewritingOptions;

[[nodiscard]] bool names_stream(const std::filesystem::path& operand);
// For messages and reports: the path, or "standard input".
[[nodiscard]] std::string input_name(const std::filesystem::path& operand);
[[nodiscard]] std::string output_name(const std::filesystem::path& operand);
// A path that leads to what is behind an operand, so that files can be compared.
[[nodiscard]] std::filesystem::path path_behind_input(const std::filesystem::path& operand);
[[nodiscard]] std::filesystem::path path_behind_output(const std::filesystem::path& operand);

// Throws UsageError for what a stream cannot do, and for a terminal in its place.
void require_streams(const Operands& operands, const RewritingOptions& options);

[[nodiscard]] std::unique_ptr<FileReader> open_input(const std::filesystem::path& operand,
                                                     ReaderOptions reading,
                                                     const Invocation& invocation);

// What is written: a file that appears at once, or a stream, which is closed in the end.
class Target {
 public:
  explicit Target(AtomicFile file) : target_(std::move(file)) {}
  explicit Target(StreamSink stream) : target_(std::move(stream)) {}

  [[nodiscard]] ByteSink& sink();
  void commit();
  [[nodiscard]] double sync_seconds() const;
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  std::variant<AtomicFile, StreamSink> target_;
};

// Creates the file, or takes standard output; the report then goes to stderr.
[[nodiscard]] Target open_target(const std::filesystem::path& operand, bool force,
                                 Invocation& invocation);

}  // namespace hipotool::app
