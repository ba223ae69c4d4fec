// hipo-tool bench: measures what formats cost, on the user's own file.

#include "hipotool/error.hpp"

#include "arguments.hpp"
#include "bench/advise.hpp"
#include "bench/compare_command.hpp"
#include "bench/show.hpp"
#include "bench/tables.hpp"
#include "bench/workbench.hpp"
#include "inputs.hpp"
#include "invocation.hpp"
#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace fs = std::filesystem;
using namespace bench;

namespace {

constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kMostPercent = 1'000'000;
// As `--record-size` elsewhere.
constexpr std::string_view kLeastRecord = "64KiB";
constexpr std::string_view kMostRecord = "512MiB";

struct LayoutEncodings {
  LayoutId layout = LayoutId::per_column;
  Encodings encodings = Encodings::none;
};

struct CommandOptions {
  BenchOptions bench{};
  std::vector<LayoutEncodings> layouts{};
  std::optional<std::string> work_folder{};
  std::optional<Goal> goal{};
  std::optional<double> fail_if_slower{};  // percent
};

// "zstd:3", "lz4", "lz4hc:auto"
CodecLevel parse_codec_level(const std::string& word) {
  const std::size_t colon = word.find(':');
  const auto codec = parse_codec(word.substr(0, colon));
  if (!codec) {
    throw UsageError("'" + word.substr(0, colon) + "' is no codec");
  }
  const CodecInfo& info = codec_info(*codec);
  if (!info.available) {
    throw UsageError("this build has no " + std::string(info.name));
  }
  CodecLevel wanted{*codec, info.default_level};
  if (colon != word.npos) {
    if (info.max_level == 0) {
      throw UsageError(std::string(info.name) + " has no levels");
    }
    if (word.substr(colon + 1) == to_string(Effort::automatic)) {
      if (!info.has_quick_way) {
        throw UsageError(word + ": lz4hc and zstd alone choose the level by column");
      }
      return automatic_level(*codec);
    }
    wanted.level = static_cast<int>(parse_number(word.substr(colon + 1),
                                                 static_cast<std::uint64_t>(info.min_level),
                                                 static_cast<std::uint64_t>(info.max_level)));
  }
  return wanted;
}

// "per-column", "per-column+split"
LayoutEncodings parse_layout_word(const std::string& word) {
  constexpr std::string_view kSplit = "+split";
  const bool split = word.ends_with(kSplit);
  const auto layout = parse_layout(split ? word.substr(0, word.size() - kSplit.size()) : word);
  if (!layout || (split && *layout != LayoutId::per_column)) {
    throw UsageError("'" + word + "' is none of per-chunk, per-bank, per-column, per-column+split");
  }
  return {*layout, split ? Encodings::best : Encodings::none};
}

// What was named, in all pairs; of codecs and layouts those that were not named as by default.
std::vector<Compression> formats_of(const CommandOptions& options) {
  if (options.bench.codecs.empty() && options.layouts.empty()) {
    return default_formats(options.bench.full);
  }
  std::vector<Compression> formats;
  const auto add = [&](const Compression& format) {
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) {
      formats.push_back(format);
    }
  };
  std::vector<CodecLevel> codecs = options.bench.codecs;
  std::vector<LayoutEncodings> layouts = options.layouts;
  for (const Compression& format : default_formats(options.bench.full)) {
    if (options.bench.codecs.empty()) {
      codecs.push_back({format.codec, format.level, format.effort});
    }
    if (options.layouts.empty() && format.encodings == Encodings::none) {
      layouts.push_back({format.layout, format.encodings});
    }
  }
  for (const CodecLevel& codec : codecs) {
    for (const LayoutEncodings& layout : layouts) {
      if (codec.effort == Effort::full || layout.layout != LayoutId::per_chunk) {
        add({.codec = codec.codec,
             .layout = layout.layout,
             .level = codec.level,
             .encodings = layout.encodings,
             .effort = codec.effort});
      }
    }
  }
  if (formats.empty()) {
    throw UsageError("a level chosen by column needs a split layout");
  }
  return formats;
}

// The codecs and layouts that records of the input have.
std::string storage_of(const FileReader& reader) {
  std::vector<std::string> kinds;
  for (const RecordEntry& entry : reader.records()) {
    const std::string kind =
        fmt::format("{}/{}", to_string(entry.header.codec), to_string(entry.header.layout));
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
      kinds.push_back(kind);
    }
  }
  return fmt::format("{}", fmt::join(kinds, ", "));
}

std::vector<const TableKind*> wanted_tables(const BenchOptions& options) {
  std::vector<const TableKind*> wanted;
  for (const TableKind& kind : table_kinds()) {
    const bool named =
        std::find(options.tables.begin(), options.tables.end(), kind.name) != options.tables.end();
    if (named || (options.tables.empty() && (options.full || kind.name == "formats"))) {
      wanted.push_back(&kind);
    }
  }
  return wanted;
}

fs::path work_folder_of(const CommandOptions& options) {
  if (options.work_folder) {
    if (!fs::is_directory(*options.work_folder)) {
      throw UsageError("--work-folder: " + *options.work_folder + " is no folder");
    }
    return *options.work_folder;
  }
  std::error_code failed;
  fs::path folder = fs::temp_directory_path(failed);
  if (failed) {
    throw UsageError("TMPDIR names no folder; --work-folder names one to write to");
  }
  return folder;
}

bool has(const BenchOptions& options, std::string_view table) {
  const auto wanted = wanted_tables(options);
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const TableKind* kind) { return kind->name == table; });
}

// No option is taken and then ignored.
void require_sense(const BenchOptions& options) {
  const bool by_column =
      std::any_of(options.codecs.begin(), options.codecs.end(),
                  [](const CodecLevel& one) { return one.effort == Effort::automatic; });
  if (by_column && has(options, "levels")) {
    throw UsageError("--table levels measures one level at a time, not auto");
  }
  if (options.threads.size() > 1 && !has(options, "threads") && !has(options, "record-size")) {
    throw UsageError("several --threads belong to --table threads or record-size");
  }
  if (options.record_sizes.size() > 1 && !has(options, "record-size")) {
    throw UsageError("several record sizes belong to --table record-size");
  }
  if (!options.budgets.empty() && !has(options, "memory")) {
    throw UsageError("--budgets belongs to --table memory");
  }
}

bool chooses_formats(const CommandOptions& options) {
  const BenchOptions& bench = options.bench;
  return !bench.tables.empty() || !bench.codecs.empty() || !options.layouts.empty() ||
         !bench.budgets.empty() || bench.cold;
}

bool measures(const CommandOptions& options) {
  const BenchOptions& bench = options.bench;
  return chooses_formats(options) || bench.full || !bench.banks.empty() || bench.column ||
         !bench.record_sizes.empty() || bench.sample_bytes || bench.threads != std::vector{1U} ||
         bench.isolate || options.work_folder;
}

int run_bench(const CommandOptions& options, const std::string& input, Invocation& invocation) {
  require_sense(options.bench);
  BenchOptions wanted = options.bench;
  wanted.formats = formats_of(options);
  wanted.work_folder = work_folder_of(options);
  invocation.open_report(std::vector<fs::path>{input});
  if (wanted.cold && lives_in_memory(input)) {
    throw Error(ErrorCode::unsupported,
                "--cold: the file lies in memory (" + file_system_of(input) +
                    ") and cannot be taken out of it",
                {.path = input});
  }
  BenchResult result{.input = input,
                     .cold = wanted.cold,
                     .isolated = wanted.isolate,
                     .environment = read_environment(input, wanted.work_folder)};
  Workbench bench(input, wanted, invocation);
  result.input_bytes = bench.input().file_bytes();
  result.input_storage = storage_of(bench.input());
  result.synthetic = bench.synthetic();
  result.sample = bench.sample().text();
  for (const TableKind* kind : wanted_tables(wanted)) {
    result.tables.push_back(kind->measure(bench));
  }
  if (invocation.wants_report()) {
    show(result, invocation.format(), invocation.output());
  }
  return 0;
}

int run_advice(const CommandOptions& options, const std::string& input, Invocation& invocation) {
  if (!options.goal) {
    throw UsageError("bench advise needs --for size, selective-read, full-read or write");
  }
  if (chooses_formats(options) || options.bench.threads.size() > 1 ||
      options.bench.record_sizes.size() > 1) {
    throw UsageError(
        "bench advise chooses formats itself: no --table, --codecs, --layouts, --budgets, --cold, "
        "and no lists of threads or record sizes");
  }
  BenchOptions wanted = options.bench;
  wanted.work_folder = work_folder_of(options);
  invocation.open_report(std::vector<fs::path>{input});
  Workbench bench(input, wanted, invocation);
  return run_advise(bench, *options.goal, invocation);
}

// `compare` and `advise` are words of the command line, not files.
int run(const CommandOptions& options, const std::vector<std::string>& words,
        Invocation& invocation) {
  const std::string first = words.empty() ? std::string() : words.front();
  if (options.fail_if_slower && first != "compare") {
    throw UsageError("--fail-if-slower belongs to bench compare");
  }
  if (options.goal && first != "advise") {
    throw UsageError("--for belongs to bench advise");
  }
  if (first == "compare") {
    if (measures(options)) {
      throw UsageError(
          "bench compare measures nothing: it takes results, --fail-if-slower and how "
          "to report");
    }
    return run_compare(std::span<const std::string>(words).subspan(1), options.fail_if_slower,
                       invocation);
  }
  const std::size_t inputs = words.size() - (first == "advise" ? 1 : 0);
  if (words.empty() || inputs != 1) {
    throw UsageError("bench takes one file, and bench compare several results");
  }
  refuse_stdin(words.back());
  return first == "advise" ? run_advice(options, words[1], invocation)
                           : run_bench(options, first, invocation);
}

void add_what(Verb& verb, CommandOptions& options) {
  std::vector<std::string> tables;
  for (const TableKind& kind : table_kinds()) {
    tables.emplace_back(kind.name);
  }
  verb.section("What to measure");
  verb.option("--table", "LIST",
              "Of formats (default), levels, threads, record-size, memory, tiers, tag-filter, io.",
              [&options](const std::string& list) {
                for (const std::string& word : split_list(list)) {
                  const bool known =
                      std::any_of(table_kinds().begin(), table_kinds().end(),
                                  [&](const TableKind& kind) { return kind.name == word; });
                  if (!known) {
                    throw UsageError("'" + word + "' is no table");
                  }
                  options.bench.tables.push_back(word);
                }
              })
      .choices(tables);
  verb.flag("--full",
            "All tables, unless some are named, all codecs, version 3, the whole file as far as "
            "--memory holds it, and no time limit.",
            options.bench.full);
  verb.option("--codecs", "LIST",
              "Codecs with levels; lz4hc:auto and zstd:auto are --effort auto. Default: "
              "lz4,lz4hc:4,zstd:1,zstd:3; for --table levels all.",
              [&options](const std::string& list) {
                for (const std::string& word : split_list(list)) {
                  options.bench.codecs.push_back(parse_codec_level(word));
                }
              });
  verb.option("--layouts", "LIST",
              "Layouts; per-column+split is version 3. Default: per-chunk,per-bank,per-column.",
              [&options](const std::string& list) {
                for (const std::string& word : split_list(list)) {
                  options.layouts.push_back(parse_layout_word(word));
                }
              })
      .choices({"per-chunk", "per-bank", "per-column", "per-column+split"});
  verb.option("-b,--banks", "LIST",
              "The banks of `some`; the first one is `bank`. Default: the 40 largest, and "
              "REC::Particle or the largest.",
              [&options](const std::string& list) { options.bench.banks = split_list(list); });
  verb.option("--column", "NAME", "The column of that bank. Default: its first one of floats.",
              [&options](const std::string& name) { options.bench.column = name; });
  verb.option(
      "--record-size", "LIST",
      "Raw bytes of a record; with --table record-size several. Default: as recook.",
      [&options](const std::string& list) {
        for (const std::string& word : split_list(list)) {
          options.bench.record_sizes.push_back(parse_size_between(word, kLeastRecord, kMostRecord));
        }
        if (options.bench.record_sizes.size() == 1) {
          options.bench.record_bytes = options.bench.record_sizes.front();
        }
      });
  verb.option("--budgets", "LIST", "Memory budgets of --table memory.",
              [&options](const std::string& list) {
                for (const std::string& word : split_list(list)) {
                  options.bench.budgets.push_back(parse_size(word));
                }
              });
}

void add_how(Verb& verb, CommandOptions& options) {
  verb.section("How to measure");
  verb.option(
      "--sample", "SIZE",
      "Raw bytes of the sample of whole records. Default: 64MiB; with --full all.",
      [&options](const std::string& text) { options.bench.sample_bytes = parse_size(text); });
  verb.option("-j,--threads", "LIST",
              "Threads of each cell; several for --table threads. Default: 1.",
              [&options](const std::string& list) {
                options.bench.threads.clear();
                for (const std::string& word : split_list(list)) {
                  options.bench.threads.push_back(
                      static_cast<unsigned>(parse_number(word, 1, kMostThreads)));
                }
              });
  verb.flag("--cold", "Take the file's pages out of memory before each read.", options.bench.cold);
  verb.flag("--isolate", "Each sample in a fresh process; peak memory is known then.",
            options.bench.isolate);
  verb.option("--work-folder", "DIR", "Where to write. Default: TMPDIR, else /tmp.",
              [&options](const std::string& folder) { options.work_folder = folder; });
}

void add_other_forms(Verb& verb, CommandOptions& options) {
  verb.section("bench advise and bench compare");
  verb.option(
      "--for", "GOAL", "size, selective-read, full-read or write.",
      [&options](const std::string& word) {
        options.goal = parse_goal(word);
        if (!options.goal) {
          throw UsageError("'" + word + "' is none of size, selective-read, full-read, write");
        }
      });
  verb.option("--fail-if-slower", "PCT",
              "Exit code 1 where a cell is measurably slower, by more than that.",
              [&options](const std::string& text) {
                options.fail_if_slower = static_cast<double>(parse_number(text, 0, kMostPercent));
              });
}

}  // namespace

void add_bench(std::vector<Verb>& verbs) {
  const auto options = std::make_shared<CommandOptions>();
  Verb verb;
  verb.name = "bench";
  verb.purpose = "Measure";
  verb.summary = "Measure what codecs, layouts and record sizes cost on a file.";
  verb.usage = {"IN [OPTION...]", "advise IN --for GOAL [OPTION...]",
                "compare BEFORE.json AFTER.json... [OPTION...]"};
  verb.description =
      "Writes a sample of the file in each format and reads it back in six scopes, all cells in "
      "turn, until the noise is low enough; every cell proves by a checksum that it read the same "
      "values. advise measures what comes into question for a goal and predicts what the whole "
      "file would cost; compare holds results of --json against the first one. The method is in "
      "docs/benchmarks.md.";
  add_what(verb, *options);
  add_how(verb, *options);
  add_other_forms(verb, *options);
  verb.section("Running");
  add_memory(verb);
  add_quiet(verb);
  verb.section("Report");
  add_report(verb);
  verb.example("hipo-tool bench in.hipo", "The usual formats, in under two minutes.")
      .example("hipo-tool bench in.hipo --table tiers", "Where the time of a full read goes.")
      .example("hipo-tool bench in.hipo --full --json --report-file in.json",
               "Everything, with every raw sample.")
      .example("hipo-tool bench advise in.hipo --for selective-read",
               "Which format to take for reading few banks.")
      .example("hipo-tool bench compare old.json new.json --fail-if-slower 10",
               "Whether something has become slower.");
  verb.run = [options, words = verb.operands](Invocation& invocation) {
    return run(*options, *words, invocation);
  };
  verbs.push_back(std::move(verb));
}

}  // namespace hipotool::app
