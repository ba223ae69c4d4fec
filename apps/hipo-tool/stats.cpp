// hipo-tool stats: counts what is in files: events, runs, records, banks, columns, values.

#include "stats.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"
#include "hipotool/expression.hpp"
#include "hipotool/names.hpp"

#include "arguments.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "reading.hpp"
#include "stats_report.hpp"
#include "usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace fs = std::filesystem;

namespace {

// From this many tiny records on, and from this share, a file is worth packing anew.
constexpr std::uint64_t kNotableTinyRecords = 10;
constexpr std::uint32_t kSpecialTag = 1;

using TagRanges = std::vector<TagRange>;

std::optional<std::set<BankKey>> wanted_banks(const Dictionary& dictionary,
                                              const std::vector<std::string>& patterns) {
  if (patterns.empty()) {
    return std::nullopt;
  }
  std::set<BankKey> keys;
  for (const std::string& pattern : patterns) {
    if (const auto key = parse_bank_key(pattern)) {
      keys.insert(*key);
      continue;
    }
    const std::vector<const Schema*> schemas = find_schemas(dictionary, {pattern});
    if (schemas.empty()) {
      throw Error(ErrorCode::not_found,
                  fmt::format("no bank in the dictionary matches {}", pattern));
    }
    for (const Schema* schema : schemas) {
      keys.insert(schema->key());
    }
  }
  return keys;
}

StatsFile describe(const FileReader& reader, const StatisticsSummary& summary) {
  const Dictionary& dictionary = reader.dictionary();
  StatsFile file{.path = reader.name(),
                 .index = reader.index(),
                 .index_reason = reader.index_reason(),
                 .dictionary_bytes = reader.header().dictionary_bytes,
                 .schemas = dictionary.schemas().size(),
                 .configuration_entries = dictionary.configuration().size(),
                 .tag_names = dictionary.tag_names()};
  std::vector<Compression> stored;
  for (const StorageStatistics& one : summary.storage) {
    stored.push_back(one.compression);
    file.oxihipo_since =
        std::max(file.oxihipo_since, std::string(readable_by(one.compression).oxihipo_since));
  }
  file.readers = readers_of(dictionary, reader.dictionary_events(), stored);
  return file;
}

// Things about a file that someone who did not ask should know.
std::vector<std::string> warnings_of(const FileReader& reader, const StatsResult& result) {
  std::vector<std::string> warnings = doubts_about(reader, "counted");
  const StatisticsSummary& summary = result.summary;
  if (summary.tiny_records >= kNotableTinyRecords && 2 * summary.tiny_records >= summary.records) {
    warnings.push_back(fmt::format(
        "{} of {} records hold less than 64 KiB of events, the median record {}; that is "
        "slow to read and compresses badly, and recook would pack them",
        summary.tiny_records, summary.records, counted(summary.record_events->median, "event")));
  }
  if (summary.runs) {
    for (const RunStatistics& run : *summary.runs) {
      if (run.run == 0) {
        warnings.push_back(fmt::format("{} {} run number 0", counted(run.events, "event"),
                                       verb_of(run.events, "has", "have")));
      }
    }
    if (summary.runs->size() > 1) {
      std::string runs;
      for (std::size_t i = 0; i < summary.runs->size() && i < 5; ++i) {
        runs += (i == 0 ? "" : ", ") + std::to_string((*summary.runs)[i].run);
      }
      warnings.push_back(fmt::format("events of {} runs: {}{}", summary.runs->size(), runs,
                                     summary.runs->size() > 5 ? ", ..." : ""));
    }
  }
  for (const BankStatistics& bank : result.banks) {
    if (bank.ragged != 0) {
      warnings.push_back(
          fmt::format("bank {} has bytes that are no whole rows {}; those are not counted as rows",
                      bank.name, counted(bank.ragged, "time")));
    }
  }
  return warnings;
}

// What came of one file: its counts and what describes it, or why there are none.
struct Examined {
  std::optional<Error> error{};
  Statistics statistics{};
  StatsResult result{};
};

StatisticsOptions library_options(const StatsOptions& options, const Shares& shares,
                                  const Invocation& invocation) {
  StatisticsOptions wanted;
  wanted.banks = options.per_bank;
  wanted.columns = options.per_column;
  wanted.values = options.values;
  wanted.estimate = options.estimate;
  wanted.duplicates = options.duplicates;
  wanted.per_tag = options.per_tag;
  wanted.tags = options.tags;
  wanted.threads = shares.threads;
  wanted.memory_bytes = shares.memory_bytes;
  wanted.stop = invocation.stop();
  if (!options.only) {
    wanted.exempt = options.special.value_or(TagRanges{{kSpecialTag, kSpecialTag}});
  }
  return wanted;
}

void fill(StatsResult& result, const Statistics& statistics) {
  result.summary = statistics.summary();
  result.banks = statistics.banks();
  result.columns = statistics.columns();
}

Examined examine(const fs::path& path, const StatsOptions& options, StatisticsOptions wanted,
                 Progress* progress) {
  Examined examined;
  try {
    const FileReader reader = open_to_look(path);
    with_context([&] { return ErrorContext{.path = reader.name()}; },
                 [&] {
                   wanted.wanted = wanted_banks(reader.dictionary(), options.banks);
                   StatisticsOptions here = wanted;  // with what lives no longer than this look
                   std::optional<Expression> condition;
                   if (options.condition) {
                     condition.emplace(as_usage_of("--where", [&] {
                       return Expression::parse(*options.condition, reader.dictionary());
                     }));
                     here.where = &*condition;
                   }
                   ProgressState state{.records_total = reader.records().size(),
                                       .bytes_total = reader.file_bytes()};
                   if (progress != nullptr) {
                     here.progress = [&](std::size_t index) {
                       state.records_done = index + 1;
                       state.bytes_done += reader.records()[index].header.record_bytes();
                       progress->update(state);
                     };
                   }
                   examined.statistics = collect_statistics(reader, here);
                 });
    fill(examined.result, examined.statistics);
    examined.result.wanted = wanted.wanted;
    examined.result.file = describe(reader, examined.result.summary);
    examined.result.warnings = warnings_of(reader, examined.result);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) {
      throw;
    }
    examined.error = error;
  }
  return examined;
}

// Counts of all files so far.
class Total {
 public:
  explicit Total(std::uint64_t memory_bytes) : memory_bytes_(memory_bytes) {}

  void add(const Examined& examined) {
    statistics_.add(examined.statistics);
    const StatisticsSummary& summary = examined.result.summary;
    hashed_events_ += summary.duplicate_events ? summary.events : 0;
    if (hashed_events_ > memory_bytes_ / kBytesOfHash) {
      throw Error(ErrorCode::over_budget,
                  fmt::format("to find duplicates among {} of several files takes {} of memory",
                              counted(hashed_events_, "event"),
                              counted(hashed_events_ * kBytesOfHash, "byte")));
    }
    if (examined.result.wanted) {
      if (!wanted_) {
        wanted_.emplace();
      }
      wanted_->insert(examined.result.wanted->begin(), examined.result.wanted->end());
    }
  }

  [[nodiscard]] StatsResult result(std::size_t failed) const {
    StatsResult result;
    fill(result, statistics_);
    result.wanted = wanted_;
    if (failed != 0) {
      result.warnings.push_back(fmt::format("{} could not be read and {} left out",
                                            counted(failed, "file"), verb_of(failed, "is", "are")));
    }
    return result;
  }

 private:
  // Kept twice while they are compared.
  static constexpr std::uint64_t kBytesOfHash = 64;

  Statistics statistics_;
  std::optional<std::set<BankKey>> wanted_;
  std::uint64_t memory_bytes_;
  std::uint64_t hashed_events_ = 0;
};

// What one option says about the others.
StatsOptions resolved(StatsOptions options, ReportFormat format) {
  options.per_column = options.per_column || options.values;
  const bool about_banks =
      !options.banks.empty() || options.per_tag || options.estimate || options.sort_key;
  if (about_banks && !options.per_column) {
    options.per_bank = true;
  }
  if (format == ReportFormat::csv && options.per_bank && options.per_column) {
    throw UsageError("CSV holds one table: --per-bank, or --per-column and --values");
  }
  if ((options.only || options.special) && !options.condition) {
    throw UsageError("--only and --special say which events --where does not ask; give --where");
  }
  if (options.only && options.special) {
    throw UsageError("--only and --special exclude each other");
  }
  return options;
}

// Text of several files has an empty line between them.
class Writer {
 public:
  Writer(const StatsOptions& options, Invocation& invocation)
      : report_(options, invocation.format()), invocation_(invocation) {}

  void write(const StatsResult& result, const std::string& name) {
    for (const std::string& warning : result.warnings) {
      invocation_.log().warning(fmt::format("{}: {}", name, warning));
    }
    if (const std::uint64_t unasked = result.summary.exempt_events; unasked != 0) {
      invocation_.log().notice(fmt::format(
          "{}: {} of the {} counted {} special, not asked by --where; --only asks all", name,
          unasked, counted(result.summary.events, "event"), verb_of(unasked, "is", "are")));
    }
    if (!invocation_.wants_report()) {
      return;
    }
    if (!first_ && invocation_.format() == ReportFormat::text) {
      invocation_.output().write("\n");
    }
    first_ = false;
    report_.write(result, invocation_.report());
    invocation_.output().flush();
  }

  void finish() { report_.finish(invocation_.report()); }

 private:
  StatsReport report_;
  Invocation& invocation_;
  bool first_ = true;
};

int run(const StatsOptions& given, const std::vector<std::string>& words, Invocation& invocation) {
  invocation.advise_on_damage(kDamageAdvice);
  const StatsOptions options = resolved(given, invocation.format());
  Writer writer(options, invocation);
  if (words.empty() && !options.banks.empty() && options.inputs.lists.empty()) {
    throw UsageError(
        "no file given; --banks takes a LIST of banks, and the table of all banks is --per-bank");
  }
  const std::vector<fs::path> paths = expand_inputs(words, options.inputs);
  invocation.open_report(paths);
  const Shares shares = divide(invocation.threads(), invocation.memory_bytes(), paths.size());
  MemoryTurns turns(shares, {1, invocation.threads(), invocation.memory_bytes()});
  std::unique_ptr<Progress> progress;
  if (paths.size() == 1) {
    progress = std::make_unique<Progress>(invocation.quiet());
  }
  Total total(invocation.memory_bytes());
  std::size_t failed = 0;
  for_each_in_order(
      paths.size(), shares.files,
      [&](std::size_t index) {
        return turns.run(
            [&](const Shares& share) {
              return examine(paths[index], options, library_options(options, share, invocation),
                             progress.get());
            },
            [](const Examined& examined) {
              return examined.error && examined.error->code() == ErrorCode::over_budget;
            });
      },
      [&](std::size_t index, const Examined& examined) {
        progress.reset();
        if (examined.error) {
          ++failed;
          invocation.set_status(1);
          invocation.output().flush();
          invocation.complain(*examined.error);
          return;
        }
        writer.write(examined.result, paths[index].string());
        if (options.total) {
          total.add(examined);
        }
      });
  if (options.total) {
    writer.write(total.result(failed), "total");
  }
  writer.finish();
  return invocation.status();
}

void add_contents(Verb& verb, StatsOptions& options) {
  verb.section("What to count");
  verb.flag("--per-bank", "A line for each bank: events, rows, bytes, share.", options.per_bank);
  verb.flag("--per-column", "A line for each column of the banks: bytes and share.",
            options.per_column);
  verb.flag("--values",
            "And what is in the columns: range, mean, standard deviation, zeros, NaN, different "
            "values, a histogram. Implies --per-column.",
            options.values);
  verb.repeatable_option(
      "-b,--banks", "LIST",
      "Of the tables only these banks: names with * and ?, or GROUP/ITEM, with commas between "
      "them. Alone it means --per-bank, too.",
      [&options](const std::string& list) {
        const std::vector<std::string> patterns = split_list(list);
        options.banks.insert(options.banks.end(), patterns.begin(), patterns.end());
      });
  verb.flag("--estimate",
            "Where a bank or column shares its compressed bytes with others, compress it alone to "
            "see what it takes.",
            options.estimate);
  verb.flag("--per-tag", "Banks and columns apart for each event tag.", options.per_tag);
  verb.flag("--duplicates", "Look for equal events, of equal tag. Reads everything.",
            options.duplicates);
  verb.option("--sort", "KEY", "Sort banks and columns by this column of their tables.",
              [&options](const std::string& key) { options.sort_key = key; });
  verb.flag("--total", "At the end, all files together.", options.total);
}

void add_selection(Verb& verb, StatsOptions& options) {
  verb.section("Which events");
  verb.option("--tag", "LIST", "Events with these tags: 0,1,5-9.",
              [&options](const std::string& list) { options.tags = parse_tag_ranges(list); });
  verb.option(
      "--where", "EXPR",
      "Events for which this holds, such as 'count(REC::Particle) > 2'. Special events count, "
      "too, without being asked; how many is told.",
      [&options](const std::string& text) { options.condition = text; });
  verb.option("--special", "LIST", "Tags of special events. Default: 1.",
              [&options](const std::string& list) { options.special = parse_tag_ranges(list); });
  verb.flag("--only", "--where asks special events, too.", options.only);
}

}  // namespace

void add_stats(std::vector<Verb>& verbs) {
  const auto options = std::make_shared<StatsOptions>();
  Verb verb;
  verb.name = "stats";
  verb.purpose = "Inspect";
  verb.summary = "Count what is in files: events, runs, records, banks, columns, values.";
  verb.usage = {"FILE... [OPTION...]"};
  verb.description =
      "FILE may be a pattern, or a folder for the *.hipo in it. Files whose records are split by "
      "bank or column are counted from their directories; only run numbers, and what --values, "
      "--where and --duplicates need, are inflated. docs/cli.md describes the keys.";
  add_contents(verb, *options);
  add_selection(verb, *options);
  verb.section("Running");
  add_filelist(verb, options->inputs);
  add_threads(verb);
  add_memory(verb);
  add_quiet(verb);
  verb.section("Report");
  add_report(verb);
  verb.example("hipo-tool stats in.hipo", "A summary.")
      .example("hipo-tool stats in.hipo --per-bank --sort raw_bytes", "What takes the space.")
      .example("hipo-tool stats in.hipo -b 'REC::*' --values", "What is in the REC banks.")
      .example("hipo-tool stats --json run_*.hipo --total | jq .events",
               "One JSON object a file, and one for all.");
  verb.run = [options, words = verb.operands](Invocation& invocation) {
    return run(*options, *words, invocation);
  };
  verbs.push_back(std::move(verb));
}

}  // namespace hipotool::app
