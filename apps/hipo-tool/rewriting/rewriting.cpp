#include "rewriting/rewriting.hpp"

#include "hipotool/atomic_file.hpp"
#include "hipotool/definitions.hpp"
#include "hipotool/error.hpp"

#include "arguments.hpp"
#include "invocation.hpp"
#include "machine.hpp"
#include "progress.hpp"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace fs = std::filesystem;

namespace {

// Of the events that fell back to per-chunk records: from here on it is worth a warning.
constexpr double kNotableFallback = 0.01;
constexpr int kRecoveredWithLosses = 3;

bool is_discardable(Oddity oddity) {
  return (kDiscardableOddities & static_cast<std::uint8_t>(oddity)) != 0;
}

std::string discardable_words() {
  std::string words;
  for (const Oddity oddity : kOddities) {
    if (is_discardable(oddity)) {
      words += words.empty() ? "" : ", ";
      words += to_string(oddity);
    }
  }
  return words;
}

std::uint8_t parse_discard(const std::string& list) {
  unsigned bits = 0;
  for (const std::string& word : split_list(list)) {
    const std::optional<Oddity> oddity = parse_oddity(word);
    if (!oddity || !is_discardable(*oddity)) {
      throw UsageError("'" + word + "' is none of " + discardable_words());
    }
    bits |= static_cast<unsigned>(*oddity);
  }
  return static_cast<std::uint8_t>(bits);
}

Verify parse_verify(const std::string& word) {
  for (const Verify verify : {Verify::none, Verify::record, Verify::file}) {
    if (to_string(verify) == word) {
      return verify;
    }
  }
  throw UsageError("'" + word + "' is none of none, record, file");
}

// --readable-by says that somebody is waiting for the file; then the defaults are his.
ResolvedCompression resolve_for_reader(const RewritingOptions& options) {
  if (!options.merge.readable_by) {
    return resolve(options.compression);
  }
  CompressionOptions wanted = options.compression;
  if (!wanted.layout) {
    wanted.layout = LayoutId::per_chunk;
  }
  const ResolvedCompression resolved = resolve(wanted);
  const ReadableBy by = readable_by(resolved.compression);
  const bool cpp = *options.merge.readable_by == PeerReader::cpp;
  if (!(cpp ? by.cpp_hipo4 : by.java)) {
    throw UsageError(fmt::format("{} cannot read {} records, so --readable-by contradicts them",
                                 cpp ? "C++ hipo4" : "Java", to_string(resolved.compression)));
  }
  return resolved;
}

void require_other_file(const Operands& operands, const std::optional<std::string>& dictionary) {
  if (!operands.output) {
    return;
  }
  std::vector<fs::path> inputs = operands.inputs;
  if (dictionary) {
    inputs.emplace_back(*dictionary);
  }
  for (const fs::path& input : inputs) {
    if (same_file(input, *operands.output)) {
      throw UsageError(
          fmt::format("{} and {} are the same file; a file is never rewritten in place",
                      operands.output->string(), input.string()));
    }
  }
}

// The dictionary of another file, for inputs that have none.
std::vector<DictionaryEvent> borrowed_dictionary(const std::optional<std::string>& from) {
  if (!from) {
    return {};
  }
  const FileReader lender{fs::path(*from)};
  if (lender.dictionary().schemas().empty()) {
    throw Error(ErrorCode::not_found, "--dict: it has no schema to borrow",
                {.path = lender.name()});
  }
  return lender.dictionary_events();
}

void open_inputs(RewritingJob& job, const RewritingOptions& options, Log& log) {
  const ReaderOptions reading{.salvage = options.salvage,
                              .borrowed_dictionary = borrowed_dictionary(options.dictionary)};
  bool borrowed = false;
  for (const fs::path& path : job.operands.inputs) {
    const FileReader& input =
        *job.readers.emplace_back(std::make_unique<FileReader>(path, reading));
    job.inputs.push_back(&input);
    borrowed = borrowed || input.has_borrowed_dictionary();
    if (input.index() == IndexState::cut && !options.salvage) {
      throw Error(ErrorCode::truncated,
                  "the file was longer once: " + input.index_reason() +
                      "; what is missing cannot be told, so nothing was written (--salvage takes "
                      "what is there)",
                  {.path = input.name()});
    }
    if (input.index() != IndexState::valid) {
      log.warning(fmt::format("{}: index {} ({}); rebuilt from the {} records found", input.name(),
                              to_string(input.index()), input.index_reason(),
                              input.records().size()));
    }
    if (input.stray_bytes() > 0) {
      log.warning(fmt::format("{}: {} bytes after the trailer belong to nothing and are left out",
                              input.name(), input.stray_bytes()));
    }
    for (const std::string& note : input.dictionary().notes()) {
      log.warning(fmt::format("{}: {}", input.name(), note));
    }
  }
  if (options.dictionary && !borrowed) {
    log.warning(fmt::format("--dict: every input has a dictionary of its own; {} was not needed",
                            *options.dictionary));
  }
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

// "in.hipo: record 1 left out: 512 bytes at 4096, 4 events: lz4: corrupt block"
std::string loss_line(const Losses::Lost& lost) {
  std::string what =
      lost.record ? fmt::format("record {} left out", *lost.record) : std::string("a gap");
  what += fmt::format(": {} at {}", counted(lost.gap.bytes, "byte"), lost.gap.offset);
  if (!lost.record && lost.gap.records) {
    what += ", " + counted(*lost.gap.records, "record");
  }
  what += lost.gap.events ? ", " + counted(*lost.gap.events, "event")
                          : std::string(", with an unknown number of events");
  return fmt::format("{}: {}: {}", lost.path, what, lost.gap.reason);
}

// Returns the exit code.
int tell_losses(const Losses& losses, Log& log) {
  for (const Losses::Lost& lost : losses.gaps) {
    log.warning(loss_line(lost));
  }
  return losses.any() ? kRecoveredWithLosses : 0;
}

// Every way in which records of the inputs are stored.
std::vector<Compression> stored_compressions(const FileReader& input) {
  std::set<std::pair<CodecId, LayoutId>> pairs;
  for (const RecordEntry& entry : input.records()) {
    pairs.emplace(entry.header.codec, entry.header.layout);
  }
  std::vector<Compression> stored;
  stored.reserve(pairs.size());
  for (const auto& [codec, layout] : pairs) {
    stored.push_back({.codec = codec, .layout = layout});
  }
  return stored;
}

// Whether C++ or Java can read an input and not the result.
bool loses_a_reader(const RewritingJob& job) {
  for (const FileReader* input : job.inputs) {
    const Readers now =
        readers_of(input->dictionary(), input->dictionary_events(), stored_compressions(*input));
    if ((now.cpp.empty() && !job.readable.cpp.empty()) ||
        (now.java.empty() && !job.readable.java.empty())) {
      return true;
    }
  }
  return false;
}

void plan_banks(RewritingJob& job, const RewritingOptions& options, Log& log) {
  if (!is_given(options.banks)) {
    return;
  }
  BankEdit edit = options.banks.edit;
  edit.special = options.selecting.selection.special;
  edit.only = options.selecting.selection.only;
  if (options.banks.definitions) {
    edit.definitions = read_definitions(*options.banks.definitions);
  }
  job.editor = std::make_unique<BankEditor>(edit, job.inputs);
  job.rewrite.editor = job.editor.get();
  for (const std::string& warning : job.editor->warnings()) {
    log.warning(warning);
  }
  if (options.banks.drop_unused_schemas) {
    job.editor->drop_unused_schemas(job.rewrite.threads, job.rewrite.memory_bytes,
                                    job.rewrite.stop);
  }
}

void plan_dictionary(RewritingJob& job, MergeOptions options, Log& log) {
  if (job.editor != nullptr) {
    options.events_of = [&job](const FileReader& input) -> const std::vector<DictionaryEvent>& {
      return job.editor->dictionary_events(input);
    };
  }
  job.dictionary = merge_dictionaries(job.inputs, options);
  for (const std::string& note : job.dictionary.notes) {
    log.warning(note);
  }
  job.compressions = {job.rewrite.compression};
  if (job.rewrite.keep_compression) {
    job.compressions.clear();
    for (const FileReader* input : job.inputs) {
      const std::vector<Compression> stored = stored_compressions(*input);
      job.compressions.insert(job.compressions.end(), stored.begin(), stored.end());
    }
  }
  job.readable =
      readers_of(Dictionary(job.dictionary.events), job.dictionary.events, job.compressions);
}

void tell_readers(const RewritingJob& job, Log& log) {
  if (loses_a_reader(job)) {
    log.line("hipo-tool: " + readers_line(job));
  } else {
    log.notice(readers_line(job));
  }
}

void tell_threads(const RewritePlan& plan, const RewriteOptions& options, Log& log) {
  if (plan.threads < options.threads) {
    log.notice(fmt::format(
        "{} of {} threads run, since more would not fit into {} MiB of memory (--memory)",
        plan.threads, options.threads, options.memory_bytes >> 20U));
  }
}

void warn_of_fallback(const RewriteSummary& summary, const RewriteOptions& options, Log& log) {
  const double share = summary.events == 0 ? 0
                                           : static_cast<double>(summary.events_fallen_back) /
                                                 static_cast<double>(summary.events);
  if (share <= kNotableFallback) {
    return;
  }
  std::string advice;
  for (const auto& [cause, events] : summary.fallback_causes) {
    if (is_discardable(cause)) {
      advice += advice.empty() ? "--discard " : ",";
      advice += to_string(cause);
    }
  }
  log.warning(fmt::format(
      "{:.1f} % of the events ({} of {}) are in per-chunk records, since {} cannot hold them ({}); "
      "{}--strict-layout would refuse them",
      100 * share, summary.events_fallen_back, summary.events,
      options.keep_compression ? "the layout" : to_string(options.compression.layout),
      causes_of(summary.fallback_causes),
      advice.empty() ? "" : advice + " would leave that out, "));
}

RewriteOptions rewrite_options(const RewritingOptions& options, const Invocation& invocation) {
  const ResolvedCompression resolved = resolve_for_reader(options);
  RewriteOptions rewrite;
  rewrite.compression = resolved.compression;
  rewrite.keep_compression =
      options.compression.as_input && !says_how_to_store(options.compression);
  rewrite.record_bytes = rewrite.keep_compression ? options.compression.record_bytes.value_or(0)
                                                  : resolved.record_bytes;
  rewrite.record_events = resolved.record_events;
  // A level cannot be told from stored bytes, so who names one wants it used.
  rewrite.reencode = options.reencode || options.compression.level.has_value();
  rewrite.verify = options.verify;
  rewrite.table_types = options.merge.readable_by.has_value();
  rewrite.discard = options.discard;
  rewrite.strict_layout = options.strict_layout;
  rewrite.accept_cut = options.salvage;
  rewrite.skip_bad = options.skip_bad || options.salvage;
  rewrite.threads = invocation.threads();
  rewrite.memory_bytes = invocation.memory_bytes();
  rewrite.stop = invocation.stop();
  return rewrite;
}

int write_target(RewritingJob& job, const Rewriting& rewriting, AtomicFile& target,
                 Invocation& invocation) {
  const auto start = std::chrono::steady_clock::now();
  RewritingResult result;
  {
    Progress progress(invocation.quiet());
    job.rewrite.progress = [&progress](const RewriteProgress& now) {
      progress.update({.records_done = now.records_done,
                       .records_total = now.records_total,
                       .bytes_done = now.stored_bytes_done,
                       .bytes_total = now.stored_bytes_total,
                       .bytes_written = now.bytes_written});
    };
    result.summary = rewrite(job.inputs, job.dictionary.events, target, job.rewrite);
    job.rewrite.progress = {};
  }
  const auto written = std::chrono::steady_clock::now();
  target.commit();
  result.cost = {.real_seconds = std::chrono::duration<double>(written - start).count(),
                 .sync_seconds = target.sync_seconds(),
                 .cpu_seconds = cpu_seconds(),
                 .peak_memory_bytes = peak_memory_bytes()};
  Log& log = invocation.log();
  for (const std::string& warning : target.warnings()) {
    log.warning(warning);
  }
  warn_of_fallback(result.summary, job.rewrite, log);
  if (rewriting.tell) {
    rewriting.tell(job, result.summary, log);
  }
  const int status = tell_losses(losses_of(job, result.summary.dropped), log);
  if (status != 0 && result.summary.events == 0) {
    log.warning("not one event could be saved: " + job.operands.output->string() + " has none");
  }
  if (invocation.wants_report()) {
    result.warnings = log.warnings();
    report_written(invocation.report(), job, result);
  }
  return status;
}

int skip(const RewritingJob& job, Invocation& invocation) {
  invocation.log().notice(job.operands.output->string() + ": exists already; skipped");
  if (invocation.format() != ReportFormat::text) {
    report_skipped(invocation.report(), job);
  }
  return 0;
}

}  // namespace

int run_rewriting(const Rewriting& rewriting, const std::vector<std::string>& words,
                  Invocation& invocation) {
  const RewritingOptions& options = *rewriting.options;
  if (!options.salvage) {
    invocation.advise_on_damage("--salvage takes what can be read of it, and tells what is lost");
  }
  if (options.force && options.skip_existing) {
    throw UsageError("--force and --skip-existing exclude each other");
  }
  RewritingJob job;
  job.verb = rewriting.verb;
  job.operands = split_operands(words, options.output, !options.dry_run);
  job.rewrite = rewrite_options(options, invocation);
  require_other_file(job.operands, options.dictionary);
  std::vector<fs::path> files = job.operands.inputs;
  if (options.dictionary) {
    files.emplace_back(*options.dictionary);
  }
  if (job.operands.output) {
    files.push_back(*job.operands.output);
  }
  invocation.open_report(files);
  std::error_code ignored;
  if (options.skip_existing && job.operands.output &&
      fs::is_regular_file(*job.operands.output, ignored)) {
    return skip(job, invocation);
  }

  std::optional<AtomicFile> target;
  if (!options.dry_run) {
    target.emplace(invocation.create_target(*job.operands.output, options.force));
  } else if (job.operands.output && !options.force && fs::exists(*job.operands.output, ignored)) {
    throw Error(ErrorCode::exists, "exists already; --force would replace it",
                {.path = job.operands.output->string()});
  }
  Log& log = invocation.log();
  open_inputs(job, options, log);
  plan_banks(job, options, log);
  plan_dictionary(job, options.merge, log);
  if (rewriting.select) {
    if (const std::optional<Selection> selection = rewriting.select(job)) {
      job.selector = std::make_unique<EventSelector>(*selection, job.inputs);
      job.rewrite.selector = job.selector.get();
    }
  }
  const RewritePlan plan = plan_rewrite(job.inputs, job.rewrite);
  tell_readers(job, log);
  tell_threads(plan, job.rewrite, log);
  if (target) {
    return write_target(job, rewriting, *target, invocation);
  }
  const int status = tell_losses(losses_of(job, {}), log);
  if (invocation.wants_report()) {
    report_plan(invocation.report(), job, plan, estimate_size(job.inputs, job.rewrite),
                log.warnings());
  }
  return status;
}

Selection selection_for(const RewritingJob& job, const RewritingOptions& options) {
  return selection_of(options.selecting,
                      registry_of(options.selecting, Dictionary(job.dictionary.events)));
}

void tell_mismatches(const RewritingJob& job, const RewriteSummary& summary, Log& log) {
  if (summary.tag_mismatches > 0 && job.selector != nullptr) {
    log.notice(fmt::format(
        "{} of the events looked at have a tag that is not their record's word, by which C++ and "
        "Java readers filter",
        summary.tag_mismatches));
  }
}

void add_output(Verb& verb, RewritingOptions& options) {
  verb.section("Output file");
  verb.option("-o,--output", "OUT", "The file to write; needed with several inputs.",
              [&options](const std::string& path) { options.output = path; });
  verb.flag("-f,--force",
            "Replace OUT if it exists. It keeps its mode, and its bytes until the end.",
            options.force);
  verb.flag("--skip-existing", "If OUT exists, do nothing and exit with 0.", options.skip_existing);
}

void add_dry_run(Verb& verb, RewritingOptions& options) {
  verb.flag("--dry-run",
            "Write nothing; tell what would be written, how large by a sample, the peak memory and "
            "who can read it.",
            options.dry_run);
}

void add_repair(Verb& verb, RewritingOptions& options) {
  verb.section("Damaged input");
  verb.flag("--salvage",
            "Take what can be read: look for records behind damage, accept a file that was longer "
            "once, and leave out what does not decode. Every gap is told; exit code 3 where "
            "something is lost or may be.",
            options.salvage);
  verb.flag("--skip-bad",
            "Leave out single records that do not decode, of files that are in order otherwise; "
            "each is told, and the exit code is 3.",
            options.skip_bad);
  verb.option("--dict", "OTHER",
              "Where an input has no schema of its own, use those of the file OTHER. If its "
              "dictionary is damaged rather than missing, --salvage is needed too.",
              [&options](const std::string& path) { options.dictionary = path; });
}

void add_content(Verb& verb, RewritingOptions& options) {
  verb.section("Content");
  verb.option("--verify", "WORD",
              "record: each record is decoded again before it is written and compared with its "
              "source (default); file: the finished file is read again too; none.",
              [&options](const std::string& word) { options.verify = parse_verify(word); });
  verb.flag("--reencode",
            "Compress again what is stored as wanted already; such records are copied otherwise. "
            "--level implies it.",
            options.reencode);
  verb.option("--discard", "LIST",
              "Leave out what a split layout cannot hold, and count it, instead of keeping the "
              "events in per-chunk records: " +
                  discardable_words() + ".",
              [&options](const std::string& list) { options.discard = parse_discard(list); });
  verb.flag("--strict-layout", "Fail instead of keeping any event in a per-chunk record.",
            options.strict_layout);
  verb.option("--readable-by", "WORD",
              "cpp or java: write the dictionary as that reader needs it, and fail if it has no "
              "form there. Layout and codec default to per-chunk lz4 then.",
              [&options](const std::string& word) {
                options.merge.readable_by = parse_peer_reader(word);
                if (!options.merge.readable_by) {
                  throw UsageError("'" + word + "' is none of cpp, java");
                }
              });
  verb.flag("--drop-config", "Leave configuration entries and the tag registry out.",
            options.merge.drop_configuration);
  verb.flag("--strict-config", "Fail if inputs disagree on a configuration entry.",
            options.merge.strict_configuration);
}

}  // namespace hipotool::app
