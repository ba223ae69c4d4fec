#include "rewriting/rewriting.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "arguments.hpp"
#include "invocation.hpp"
#include "machine.hpp"
#include "progress.hpp"
#include "rewriting/losses.hpp"
#include "rewriting/other_readers.hpp"
#include "rewriting/rewriting_report.hpp"
#include "rewriting/streams.hpp"
#include "usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace fs = std::filesystem;

namespace {

// Of the events that fell back to per-chunk records: from here on it is worth a warning.
constexpr double kNotableFallback = 0.01;

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

// "reserved-word, repeated-bank"
std::string causes_of(const std::map<Oddity, std::uint64_t>& events_by_cause) {
  std::string words;
  for (const auto& [cause, events] : events_by_cause) {
    words += words.empty() ? "" : ", ";
    words += to_string(cause);
  }
  return words;
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

// What becomes of the inputs' banks, dictionary, tags and events, in this order: each needs those
// before it.
void settle_output(RewritingJob& job, const Rewriting& rewriting, Log& log) {
  plan_banks(job, *rewriting.options, log);
  plan_dictionary(job, *rewriting.options);
  if (rewriting.edit_dictionary) {
    rewriting.edit_dictionary(job);
  }
  for (const std::string& note : job.dictionary.notes) {
    log.warning(note);
  }
  settle_readers(job);
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
  settle_output(job, rewriting, log);
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

}  // namespace hipotool::app
