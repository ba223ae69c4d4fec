#include "rewriting/rewriting.hpp"

#include "hipotool/atomic_file.hpp"
#include "hipotool/counted.hpp"
#include "hipotool/definitions.hpp"
#include "hipotool/error.hpp"

#include "arguments.hpp"
#include "invocation.hpp"
#include "machine.hpp"
#include "progress.hpp"
#include "rewriting/streams.hpp"
#include "usage.hpp"

#include <fmt/format.h>

#include <algorithm>
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

std::string discardable_words(std::string_view between = ", ") {
  std::string words;
  for (const Oddity oddity : kOddities) {
    if (is_discardable(oddity)) {
      words += words.empty() ? "" : between;
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

std::vector<fs::path> files_read(const RewritingJob& job, const Rewriting& rewriting) {
  std::vector<fs::path> files = job.operands.inputs;
  if (rewriting.options->dictionary) {
    files.emplace_back(*rewriting.options->dictionary);
  }
  if (rewriting.options->selecting.tags_from) {
    files.emplace_back(*rewriting.options->selecting.tags_from);
  }
  if (rewriting.options->banks.definitions) {
    files.emplace_back(*rewriting.options->banks.definitions);
  }
  return files;
}

void require_other_file(const RewritingJob& job, const std::vector<fs::path>& files) {
  if (job.pattern) {
    job.pattern->require_none_of(files);
  } else if (job.operands.output) {
    require_not_one_of(*job.operands.output, files);
  }
}

// What is known of several outputs before they are written: that they are there already.
void require_free_names(const RewritingJob& job, const RewritingOptions& options) {
  constexpr std::uint64_t kMostLookedUp = 10'000;
  if (options.force || options.splitting.by_tag) {
    return;
  }
  std::uint64_t outputs = 1;
  if (options.splitting.per_output && job.selector == nullptr && !job.rewrite.skip_bad) {
    std::uint64_t events = 0;
    for (const FileReader* input : job.inputs) {
      events += input->event_count();
    }
    outputs += (std::max<std::uint64_t>(events, 1) - 1) / *options.splitting.per_output;
  }
  std::error_code ignored;
  for (std::uint64_t number = 1; number <= std::min(outputs, kMostLookedUp); ++number) {
    if (const fs::path path = job.pattern->path(number); fs::exists(path, ignored)) {
      throw Error(ErrorCode::exists, "exists already; --force replaces it",
                  {.path = path.string()});
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

void tell_index(const FileReader& input, Log& log) {
  if (input.index() != IndexState::valid) {
    log.warning(fmt::format("{}: index {} ({}); rebuilt from the {} found", input.name(),
                            to_string(input.index()), input.index_reason(),
                            counted(input.records().size(), "record")));
  }
}

void open_inputs(RewritingJob& job, const RewritingOptions& options, Invocation& invocation) {
  Log& log = invocation.log();
  const ReaderOptions reading{.salvage = options.salvage,
                              .salvage_bytes = invocation.memory_bytes(),
                              .borrowed_dictionary = borrowed_dictionary(options.dictionary)};
  bool borrowed = false;
  for (const fs::path& path : job.operands.inputs) {
    const FileReader& input = *job.readers.emplace_back(open_input(path, reading, invocation));
    job.inputs.push_back(&input);
    borrowed = borrowed || input.has_borrowed_dictionary();
    if (input.index() == IndexState::cut && !options.salvage) {
      throw Error(ErrorCode::truncated,
                  "the file was longer once: " + input.index_reason() +
                      "; what is missing cannot be told, so nothing was written (--salvage takes "
                      "what is there)",
                  {.path = input.name()});
    }
    if (input.appended() && !options.salvage) {
      const std::uint64_t offset = input.appended()->offset;
      throw Error(
          ErrorCode::corrupt,
          fmt::format("{}, so nothing was written; cut the file in two there (head -c {}, "
                      "tail -c +{}) and give both (--salvage takes those of files with the same "
                      "dictionary)",
                      to_string(*input.appended()), offset, offset + 1),
          {.path = input.name(), .record_offset = offset});
    }
    tell_index(input, log);
    if (input.stray_bytes() > 0 && !input.appended()) {
      log.warning(fmt::format("{}: {} after the trailer {} to nothing and {} left out",
                              input.name(), counted(input.stray_bytes(), "byte"),
                              verb_of(input.stray_bytes(), "belongs", "belong"),
                              verb_of(input.stray_bytes(), "is", "are")));
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

bool has_stream(const RewritingJob& job) {
  return std::any_of(job.inputs.begin(), job.inputs.end(),
                     [](const FileReader* input) { return input->is_stream(); });
}

void plan_banks(RewritingJob& job, const RewritingOptions& options, Log& log) {
  if (!is_given(options.banks)) {
    return;
  }
  if (options.banks.drop_unused_schemas && has_stream(job)) {
    throw UsageError("--unused-schemas drop reads the inputs twice, and '-' can be read but once");
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

// The registry of another file takes the place of those of the inputs.
void borrow_tag_names(RewritingJob& job, const RewritingOptions& options) {
  if (!options.selecting.tags_from || options.merge.drop_configuration) {
    return;
  }
  if (options.merge.readable_by == PeerReader::cpp) {
    throw UsageError(
        "--tags-from writes a registry, on which C++ hipo4 crashes; --drop-config leaves it out");
  }
  define_tag_names(job.dictionary.events, tag_names_in(*options.selecting.tags_from));
}

// Who can read the result; of a stream that stays stored as it is this is known when all has come.
void settle_readers(RewritingJob& job) {
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

void plan_dictionary(RewritingJob& job, const Rewriting& rewriting, Log& log) {
  MergeOptions options = rewriting.options->merge;
  options.drop_tag_names = rewriting.options->selecting.tags_from.has_value();
  if (job.editor != nullptr) {
    options.events_of = [&job](const FileReader& input) -> const std::vector<DictionaryEvent>& {
      return job.editor->dictionary_events(input);
    };
  }
  job.dictionary = merge_dictionaries(job.inputs, options);
  borrow_tag_names(job, *rewriting.options);
  if (rewriting.edit_dictionary) {
    rewriting.edit_dictionary(job);
  }
  for (const std::string& note : job.dictionary.notes) {
    log.warning(note);
  }
  settle_readers(job);
}

void tell_readers(const RewritingJob& job, Log& log) {
  if (loses_a_reader(job)) {
    log.line("hipo-tool: " + readers_line(job));
  } else {
    log.notice(readers_line(job));
  }
}

// What was not known of streams before.
void tell_streams(RewritingJob& job, Log& log) {
  if (!has_stream(job)) {
    return;
  }
  for (const FileReader* input : job.inputs) {
    if (input->is_stream()) {
      tell_index(*input, log);
    }
  }
  settle_readers(job);
  tell_readers(job, log);
}

void tell_threads(const RewritePlan& plan, const RewriteOptions& options, Log& log) {
  if (plan.threads < options.threads) {
    log.notice(fmt::format(
        "{} of {} threads {}, since more would not fit into {} MiB of memory (--memory)",
        plan.threads, options.threads, verb_of(plan.threads, "runs", "run"),
        options.memory_bytes >> 20U));
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
  rewrite.splitting = splitting_of(options.splitting);
  rewrite.threads = invocation.threads();
  rewrite.memory_bytes = invocation.memory_bytes();
  rewrite.stop = invocation.stop();
  return rewrite;
}

// Writes one target or, without one, as many as it takes; all have their names in the end.
RewritingResult write_all(RewritingJob& job, const Rewriting& rewriting, Target* target,
                          Invocation& invocation) {
  const RewritingOptions& options = *rewriting.options;
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
    if (target != nullptr) {
      result.summary = rewrite(job.inputs, job.dictionary.events, target->sink(), job.rewrite);
    } else {
      const std::vector<fs::path> files = files_read(job, rewriting);
      const TargetMaker make = [&](std::uint64_t key) {
        const fs::path path = job.pattern->path(options.splitting.by_tag ? key : key + 1);
        require_not_one_of(path, files);
        return invocation.create_target(path, options.force);
      };
      SplitSummary split = rewrite_split(job.inputs, job.dictionary.events, make, job.rewrite);
      result.summary = std::move(split.total);
      result.outputs = std::move(split.outputs);
    }
    job.rewrite.progress = {};
  }
  const auto written = std::chrono::steady_clock::now();
  std::vector<std::string> warnings;
  double sync_seconds = 0;
  if (target != nullptr) {
    target->commit();
    sync_seconds = target->sync_seconds();
    warnings = target->warnings();
    invocation.note_written(output_name(*job.operands.output));
  } else {
    commit_all(result.outputs);
    for (const WrittenOutput& output : result.outputs) {
      sync_seconds += output.file.sync_seconds();
      warnings.insert(warnings.end(), output.file.warnings().begin(), output.file.warnings().end());
    }
    invocation.note_written(counted(result.outputs.size(), "file"));
  }
  result.cost = {.real_seconds = std::chrono::duration<double>(written - start).count(),
                 .sync_seconds = sync_seconds,
                 .cpu_seconds = cpu_seconds(),
                 .peak_memory_bytes = peak_memory_bytes()};
  for (const std::string& warning : warnings) {
    invocation.log().warning(warning);
  }
  tell_streams(job, invocation.log());
  return result;
}

int write_targets(RewritingJob& job, const Rewriting& rewriting, Target* target,
                  Invocation& invocation) {
  RewritingResult result = write_all(job, rewriting, target, invocation);
  Log& log = invocation.log();
  warn_of_fallback(result.summary, job.rewrite, log);
  if (rewriting.tell) {
    rewriting.tell(job, result.summary, log);
  }
  const int status = tell_losses(losses_of(job, result.summary.dropped), log);
  if (status != 0 && result.summary.events == 0) {
    log.warning("not one event could be saved: " + output_name(*job.operands.output) + " has none");
  } else if (target == nullptr && result.outputs.empty()) {
    log.warning("not one event was chosen, and so no file was written");
  }
  invocation.set_status(status);  // whatever becomes of the report
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
  const SplittingOptions& splitting = options.splitting;
  if (splitting.any() && options.skip_existing) {
    throw UsageError("--skip-existing needs one output whose name is known");
  }
  if (splitting.by_tag && options.output) {
    throw UsageError("--split-by-tag names the outputs; -o has no meaning with it");
  }
  // What is called as several outputs are called is no operand.
  job.operands = split_operands(words, splitting.by_tag ? splitting.by_tag : options.output,
                                options.dry_run ? std::nullopt : std::optional(rewriting.or_else));
  job.rewrite = rewrite_options(options, invocation);
  if (splitting.any() && job.operands.output) {
    job.pattern = output_pattern(splitting, *job.operands.output);
  }
  require_streams(job.operands, options);
  std::vector<fs::path> files = files_read(job, rewriting);
  require_other_file(job, files);
  if (job.operands.output) {
    files.push_back(*job.operands.output);
  }
  invocation.open_report(files);
  if (job.operands.output && names_stream(*job.operands.output)) {
    invocation.keep_stdout_free();
  }
  std::error_code ignored;
  if (options.skip_existing && job.operands.output &&
      fs::is_regular_file(*job.operands.output, ignored)) {
    return skip(job, invocation);
  }

  std::optional<Target> target;
  if (!options.dry_run && !job.pattern) {
    target.emplace(open_target(*job.operands.output, options.force, invocation));
  } else if (!job.pattern && job.operands.output && !options.force &&
             fs::exists(*job.operands.output, ignored)) {
    throw Error(ErrorCode::exists, "exists already; --force would replace it",
                {.path = job.operands.output->string()});
  }
  Log& log = invocation.log();
  open_inputs(job, options, invocation);
  plan_banks(job, options, log);
  plan_dictionary(job, rewriting, log);
  if (rewriting.tag) {
    if (const std::optional<Tagging> tagging = rewriting.tag(job)) {
      job.tagger = as_usage_of("--set-tag",
                               [&] { return std::make_unique<EventTagger>(*tagging, job.inputs); });
      job.rewrite.tagger = job.tagger.get();
    }
  }
  if (rewriting.select) {
    if (const std::optional<Selection> selection = rewriting.select(job)) {
      job.selector = as_usage_of(
          "--where", [&] { return std::make_unique<EventSelector>(*selection, job.inputs); });
      job.rewrite.selector = job.selector.get();
    }
  }
  const RewritePlan plan = plan_rewrite(job.inputs, job.rewrite);
  if (!has_stream(job)) {
    tell_readers(job, log);
  }
  tell_threads(plan, job.rewrite, log);
  if (job.pattern) {
    require_free_names(job, options);
  }
  if (!options.dry_run) {
    return write_targets(job, rewriting, target ? &*target : nullptr, invocation);
  }
  const int status = tell_losses(losses_of(job, {}), log);
  if (invocation.wants_report()) {
    report_plan(invocation.report(), job, plan, estimate_size(job.inputs, job.rewrite),
                log.warnings());
  }
  return status;
}

std::vector<TagName> names_for(const RewritingJob& job, const RewritingOptions& options) {
  if (!options.merge.drop_configuration) {
    return Dictionary(job.dictionary.events).tag_names();
  }
  if (options.selecting.tags_from) {
    return tag_names_in(*options.selecting.tags_from);
  }
  std::vector<TagName> names;
  for (const FileReader* input : job.inputs) {
    for (const TagName& name : input->dictionary().tag_names()) {
      names.push_back(name);
    }
  }
  return names;
}

Selection selection_for(const RewritingJob& job, const RewritingOptions& options) {
  return selection_of(options.selecting, names_for(job, options));
}

void tell_mismatches(const RewritingJob& job, const RewriteSummary& summary, Log& log) {
  if (summary.tag_mismatches > 0 && job.rewrite.record_words_from_tags) {
    log.notice(fmt::format(
        "{} of the events looked at had a tag that was not their record's word; of those written "
        "it is now",
        summary.tag_mismatches));
  } else if (summary.tag_mismatches > 0 && job.selector != nullptr) {
    log.notice(fmt::format(
        "{} of the events looked at {} a tag that is not their record's word, by which C++ and "
        "Java readers filter",
        summary.tag_mismatches, verb_of(summary.tag_mismatches, "has", "have")));
  }
}

void add_output(Verb& verb, RewritingOptions& options) {
  verb.section("Output file");
  verb.option(
      "-o,--output", "OUT",
      "The file to write; needed with several inputs. - as an input is standard input, here "
      "standard output, for another "
      "hipo-tool: its header cannot point to the index, without which C++, Java and oxihipo "
      "do not read a file.",
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
              [&options](const std::string& word) { options.verify = parse_verify(word); })
      .choices({"none", "record", "file"});
  verb.flag("--reencode",
            "Compress again what is stored as wanted already; such records are copied otherwise. "
            "--level implies it.",
            options.reencode);
  verb.option("--discard", "LIST",
              "Leave out what a split layout cannot hold, and count it, instead of keeping the "
              "events in per-chunk records: " +
                  discardable_words() + ".",
              [&options](const std::string& list) { options.discard = parse_discard(list); })
      .choices(split_list(discardable_words(",")));
  verb.flag("--strict-layout", "Fail instead of keeping any event in a per-chunk record.",
            options.strict_layout);
  add_readable_by(
      verb,
      "cpp or java: write the dictionary as that reader needs it, and fail if it has no "
      "form there. Layout and codec default to per-chunk lz4 then.",
      options.merge.readable_by);
  verb.flag("--drop-config", "Leave configuration entries and the tag registry out.",
            options.merge.drop_configuration);
  verb.flag("--strict-config", "Fail if inputs disagree on a configuration entry.",
            options.merge.strict_configuration);
}

}  // namespace hipotool::app
