#include "options.hpp"

#include "hipotool/error.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace hipotool::app {

namespace {

constexpr unsigned kMostThreads = 1024;

// The codecs that hipo-utils can write, by the numbers of its -c.
constexpr std::array<CodecId, 4> kNumberedCodecs{CodecId::none, CodecId::lz4, CodecId::lz4hc,
                                                 CodecId::gzip};

struct SizeUnit {
  std::string_view word;
  std::uint64_t factor;
};
constexpr std::array<SizeUnit, 7> kSizeUnits{{{"", 1},
                                              {"K", 1'000},
                                              {"M", 1'000'000},
                                              {"G", 1'000'000'000},
                                              {"KiB", std::uint64_t{1} << 10U},
                                              {"MiB", std::uint64_t{1} << 20U},
                                              {"GiB", std::uint64_t{1} << 30U}}};

std::optional<std::uint64_t> size_factor(std::string_view word) {
  // "8MB" is what many write for 8M.
  if (word.size() == 2 && word[1] == 'B') {
    word = word.substr(0, 1);
  }
  for (const SizeUnit& unit : kSizeUnits) {
    if (unit.word == word) {
      return unit.factor;
    }
  }
  return std::nullopt;
}

template <typename T>
T require(std::optional<T> value, std::string_view word, std::string_view choices) {
  if (!value) {
    throw UsageError(fmt::format("'{}' is none of {}", word, choices));
  }
  return *value;
}

std::string codec_words(std::string_view between = ", ") {
  std::string words;
  for (const CodecInfo& codec : codecs()) {
    words += words.empty() ? "" : between;
    words += codec.name;
  }
  return words;
}

CodecId codec_of(const CompressionOptions& options, LayoutId layout) {
  if (options.codec_number) {
    return kNumberedCodecs.at(*options.codec_number);
  }
  return options.codec.value_or(layout == LayoutId::per_chunk ? CodecId::lz4 : CodecId::lz4hc);
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const auto factor =
      size_factor(std::string_view(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr)));
  if (parsed.ec != std::errc() || !factor) {
    throw UsageError(
        fmt::format("'{}' is not a size: a number, then nothing, K, M, G, KiB, MiB or GiB", text));
  }
  if (number > std::numeric_limits<std::uint64_t>::max() / *factor) {
    throw UsageError(fmt::format("'{}' is too large", text));
  }
  return number * *factor;
}

std::uint64_t parse_size_between(std::string_view text, std::string_view smallest,
                                 std::string_view largest) {
  const std::uint64_t size = parse_size(text);
  if (size < parse_size(smallest) || size > parse_size(largest)) {
    throw UsageError(fmt::format("'{}' is not between {} and {}", text, smallest, largest));
  }
  return size;
}

std::uint64_t parse_number(std::string_view text, std::uint64_t smallest, std::uint64_t largest) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < smallest || number > largest) {
    throw UsageError(
        largest == std::numeric_limits<std::uint64_t>::max()
            ? fmt::format("'{}' is not a whole number of {} or more", text, smallest)
            : fmt::format("'{}' is not a whole number from {} to {}", text, smallest, largest));
  }
  return number;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const auto comma = text.find(',');
    words.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) {
      return words;
    }
    text.remove_prefix(comma + 1);
  }
}

NumberRange parse_range(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    throw UsageError(fmt::format("'{}' is not a range A:B", text));
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  NumberRange range;
  if (colon > 0) {
    range.begin = parse_number(text.substr(0, colon), 0, kMost);
  }
  if (colon + 1 < text.size()) {
    range.end = parse_number(text.substr(colon + 1), 0, kMost);
  }
  if (range.end && *range.end < range.begin) {
    throw UsageError(fmt::format("the range '{}' ends before it begins", text));
  }
  return range;
}

std::vector<TagRange> parse_tag_ranges(std::string_view text, std::uint64_t most) {
  std::vector<TagRange> tags;
  for (const std::string& word : split_list(text)) {
    const auto dash = word.find('-');
    const std::uint64_t first = parse_number(std::string_view(word).substr(0, dash), 0, most);
    const std::uint64_t last = dash == std::string::npos
                                   ? first
                                   : parse_number(std::string_view(word).substr(dash + 1), 0, most);
    if (last < first) {
      throw UsageError(fmt::format("the range '{}' ends before it begins", word));
    }
    tags.push_back({first, last});
  }
  return tags;
}

void add_threads(Verb& verb) {
  verb.option("-j,--threads", "N",
              "Threads that decode and encode. Default: the CPUs that this process may use "
              "(affinity and cgroup quota), at most 16. The result does not depend on it.",
              [&common = *verb.common](const std::string& text) {
                common.threads = static_cast<unsigned>(parse_number(text, 1, kMostThreads));
              });
}

void add_memory(Verb& verb) {
  verb.option("--memory", "SIZE",
              "Memory for records in flight; fewer threads run where it does not suffice. Default: "
              "1GiB, or 80 % of the cgroup's limit if that is less.",
              [&common = *verb.common](const std::string& text) {
                common.memory_bytes = parse_size_between(text, "1MiB", "1024GiB");
              });
}

void add_quiet(Verb& verb) {
  verb.flag("-q,--quiet", "No progress, no notices and no text report; warnings and errors stay.",
            verb.common->quiet);
}

void add_report(Verb& verb) {
  CommonOptions& common = *verb.common;
  const auto choose = [&common](ReportFormat format) {
    if (common.format && *common.format != format) {
      throw UsageError("another output format was given before");
    }
    common.format = format;
  };
  verb.option("--format", "WORD", "Form of the report: " + report_format_words() + ".",
              [choose](const std::string& word) {
                choose(require(parse_report_format(word), word, report_format_words()));
              });
  verb.choices({"text", "json", "csv", "markdown"});
  verb.option("--json", "", "Short for --format json.",
              [choose](const std::string&) { choose(ReportFormat::json); });
  verb.option("--csv", "", "Short for --format csv.",
              [choose](const std::string&) { choose(ReportFormat::csv); });
  verb.option("--report-file", "PATH",
              "Where the report goes instead of stdout (or stderr, with - as OUT).",
              [&common](const std::string& path) {
                if (path.empty() || path == "-") {
                  throw UsageError("'" + path + "' is not the name of a file");
                }
                common.report_file = path;
              });
  verb.option("--color", "WORD",
              "Colour in messages and text: auto (default: on a terminal, unless NO_COLOR is set), "
              "always or never.",
              [&common](const std::string& word) {
                common.color = require(parse_color_mode(word), word, "auto, always, never");
              })
      .choices({"auto", "always", "never"});
}

void add_compression(Verb& verb, CompressionOptions& options) {
  verb.option("--layout", "WORD",
              "What is compressed together: per-chunk (whole records; all that C++ and Java read), "
              "per-bank or per-column. Default: " +
                  (options.as_input ? "as the input is stored"
                                    : std::string(to_string(options.default_layout))) +
                  ".",
              [&options](const std::string& word) {
                options.layout =
                    require(parse_layout(word), word, "per-chunk, per-bank, per-column");
              })
      .choices({"per-chunk", "per-bank", "per-column"});
  verb.option(
      "--codec", "WORD",
      "How bytes shrink: " + codec_words() + ". Default: " +
          (options.as_input ? "as the input is stored; with --layout lz4hc, for per-chunk lz4."
                            : "lz4hc, for per-chunk lz4."),
      [&options](const std::string& word) {
        options.codec = require(parse_codec(word), word, codec_words());
      });
  verb.choices(split_list(codec_words(",")));
  verb.option("-c", "N",
              "The codec by its number in hipo-utils: 0 none, 1 lz4, 2 lz4hc, 3 gzip. Without "
              "--layout it means per-chunk.",
              [&options](const std::string& text) {
                options.codec_number =
                    static_cast<unsigned>(parse_number(text, 0, kNumberedCodecs.size() - 1));
              })
      .choices({"0", "1", "2", "3"});
  verb.option("--level", "N",
              "Effort of the codec: lz4hc 3 to 12 (default 9), gzip 1 to 9 (6), zstd 1 to 19 (3).",
              [&options](const std::string& text) {
                options.level = static_cast<int>(parse_number(text, 0, 99));
              });
  verb.option("--effort", "WORD",
              "full: the level for every stream. auto (lz4hc and zstd, split layouts): the level "
              "where it pays, a quick way for other columns, as found on each 64th record; lz4hc "
              "then has the default level 6. Default: full.",
              [&options](const std::string& word) {
                options.effort = require(parse_effort(word), word, "full, auto");
              })
      .choices({"full", "auto"});
  verb.option("--encodings", "WORD",
              "best: per-column streams may be byte-split before compression, and carry checksums "
              "(version 3 of the layout); every stream is tried both ways. auto: only those of "
              "each 64th record are. Default: none.",
              [&options](const std::string& word) {
                options.encodings = require(parse_encodings(word), word, "none, best, auto");
              })
      .choices({"none", "best", "auto"});
  verb.option("--record-size", "SIZE",
              "Most bytes of events in a record, uncompressed: 64KiB to 512MiB. Default: 8MiB "
              "per-chunk, 32MiB else.",
              [&options](const std::string& text) {
                options.record_bytes = parse_size_between(text, "64KiB", "512MiB");
              });
  verb.option("--record-events", "N", "Most events in a record. Default: 100000.",
              [&options](const std::string& text) {
                options.record_events = static_cast<std::uint32_t>(
                    parse_number(text, 1, std::numeric_limits<std::int32_t>::max()));
              });
}

bool says_how_to_store(const CompressionOptions& options) {
  return options.layout || options.codec || options.codec_number || options.level ||
         options.encodings != Encodings::none || options.effort.has_value();
}

ResolvedCompression resolve(const CompressionOptions& options) {
  if (options.codec && options.codec_number) {
    throw UsageError("-c and --codec exclude each other");
  }
  ResolvedCompression resolved;
  Compression& compression = resolved.compression;
  compression.layout =
      options.layout.value_or(options.codec_number ? LayoutId::per_chunk : options.default_layout);
  compression.codec = codec_of(options, compression.layout);
  compression.effort = options.effort.value_or(Effort::full);
  const CodecInfo& codec = codec_info(compression.codec);
  compression.level = options.level.value_or(
      compression.effort == Effort::automatic ? codec.auto_level : codec.default_level);
  compression.encodings = options.encodings;
  if (compression.effort == Effort::automatic &&
      (compression.layout == LayoutId::per_chunk || !codec.has_quick_way)) {
    throw UsageError("--effort auto needs lz4hc or zstd and a split layout");
  }
  try {
    require_usable(compression);
  } catch (const Error& error) {
    throw UsageError(error.message());
  }
  resolved.record_bytes = options.record_bytes.value_or(default_record_bytes(compression.layout));
  resolved.record_events = options.record_events;
  return resolved;
}

void add_readable_by(Verb& verb, std::string help, std::optional<PeerReader>& reader) {
  verb.option("--readable-by", "WORD", std::move(help),
              [&reader](const std::string& word) {
                reader = require(parse_peer_reader(word), word, "cpp, java");
              })
      .choices({"cpp", "java"});
}

Operands split_operands(const std::vector<std::string>& words,
                        const std::optional<std::string>& output,
                        const std::optional<std::string>& or_else) {
  Operands operands;
  operands.inputs.assign(words.begin(), words.end());
  if (output) {
    operands.output = *output;
  } else if (words.size() == 2) {
    operands.output = operands.inputs.back();
    operands.inputs.pop_back();
  }
  if (operands.inputs.empty()) {
    throw UsageError("no input file given");
  }
  if (or_else && !operands.output) {
    throw UsageError((words.size() == 1 ? "no output file given; -o OUT names it"
                                        : "several inputs need -o OUT to name the output") +
                     (", " + *or_else));
  }
  const auto refuse_empty = [](const std::filesystem::path& path) {
    if (path.empty()) {
      throw UsageError("a file name is empty");
    }
  };
  for (const std::filesystem::path& input : operands.inputs) {
    refuse_empty(input);
  }
  if (operands.output) {
    refuse_empty(*operands.output);
  }
  return operands;
}

}  // namespace hipotool::app
