#pragma once
// Option groups that several verbs share, and how sizes, numbers and lists are spelled. A verb's
// options struct holds the group's struct; the functions here add the options to the verb's command
// line.

#include "hipotool/compression.hpp"
#include "hipotool/merge.hpp"
#include "hipotool/tag_range.hpp"

#include "arguments.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app {

// "500", "8M" (1000 based), "32MiB" (1024 based). Throws UsageError, as the others do.
[[nodiscard]] std::uint64_t parse_size(std::string_view text);
// Like parse_size, within limits.
[[nodiscard]] std::uint64_t parse_size_between(std::string_view text, std::string_view smallest,
                                               std::string_view largest);
[[nodiscard]] std::uint64_t parse_number(std::string_view text, std::uint64_t smallest,
                                         std::uint64_t largest);
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

// Zero-based, `end` excluded.
struct NumberRange {
  std::uint64_t begin = 0;
  std::optional<std::uint64_t> end{};
};
// "A:B"; either may be left out.
[[nodiscard]] NumberRange parse_range(std::string_view text);

// "0,1,5-9": numbers and ranges of them, both ends included.
// An event's tag has 32 bits, a record's word 64.
constexpr std::uint64_t kMostTag = std::numeric_limits<std::uint32_t>::max();
[[nodiscard]] std::vector<TagRange> parse_tag_ranges(std::string_view text,
                                                     std::uint64_t most = kMostTag);

// -j, and -- for verbs that read -- --memory.
void add_threads(Verb& verb);
void add_memory(Verb& verb);
void add_quiet(Verb& verb);
// --format, --json, --csv, --report-file.
void add_report(Verb& verb);

// How records are to be stored; what is not given gets its default in resolve().
struct CompressionOptions {
  bool as_input = false;  // unless something is asked for, records stay stored as they are
  LayoutId default_layout = LayoutId::per_column;
  std::optional<LayoutId> layout{};
  std::optional<CodecId> codec{};
  std::optional<unsigned> codec_number{};  // -c, as hipo-utils counts
  std::optional<int> level{};
  Encodings encodings = Encodings::none;
  std::optional<Effort> effort{};
  std::optional<std::uint64_t> record_bytes{};
  std::uint32_t record_events = 100'000;
};
void add_compression(Verb& verb, CompressionOptions& options);

// Whether anything but the size of records is asked for.
[[nodiscard]] bool says_how_to_store(const CompressionOptions& options);

struct ResolvedCompression {
  Compression compression{};
  std::uint64_t record_bytes = 0;
  std::uint32_t record_events = 0;
};
// Codec lz4hc for split layouts and lz4 for per-chunk; records of 32 MiB and 8 MiB.
// A codec number without a layout means per-chunk. Throws UsageError for what does not go together
// and for what this build lacks.
[[nodiscard]] ResolvedCompression resolve(const CompressionOptions& options);

// --readable-by cpp|java: who else must be able to read what is written. `help` says what that
// does.
void add_readable_by(Verb& verb, std::string help, std::optional<PeerReader>& reader);

// Inputs and output of a command that writes one file.
struct Operands {
  std::vector<std::filesystem::path> inputs{};
  std::optional<std::filesystem::path> output{};
};
// Two operands and no -o: IN OUT. Otherwise all are inputs and -o names the output. Throws
// UsageError, where there is none and `or_else` says what else was possible; unset: none is needed.
[[nodiscard]] Operands split_operands(const std::vector<std::string>& words,
                                      const std::optional<std::string>& output,
                                      const std::optional<std::string>& or_else);

}  // namespace hipotool::app
