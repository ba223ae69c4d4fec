#include "rewriting/rewriting_report.hpp"

#include "rewriting/losses.hpp"
#include "rewriting/other_readers.hpp"
#include "rewriting/rewriting_job.hpp"
#include "rewriting/rewriting_options.hpp"
#include "rewriting/streams.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace hipotool::app {

namespace {

using EventsByTag = EventCounts<std::uint32_t>;

bool all_valid(const RewritingJob& job) {
  for (const FileReader* input : job.inputs) {
    if (input->index() != IndexState::valid) {
      return false;
    }
  }
  return true;
}

void report_inputs(ReportWriter& report, const RewritingJob& job) {
  const std::array<ReportColumn, 9> columns{{{"path"},
                                             {"bytes", Unit::bytes},
                                             {"records", Unit::count},
                                             {"empty_records", Unit::count},
                                             {"events", Unit::count},
                                             {"index"},
                                             {"index_reason"},
                                             {"stray_bytes", Unit::bytes},
                                             {"borrowed_dictionary"}}};
  report.begin_table("inputs", columns);
  for (const FileReader* input : job.inputs) {
    report.row(std::array<Cell, 9>{input->name(), input->file_bytes(),
                                   std::uint64_t{input->records().size()}, input->empty_records(),
                                   input->event_count(), std::string(to_string(input->index())),
                                   cell_or_null(input->index_reason()), input->stray_bytes(),
                                   input->has_borrowed_dictionary()});
  }
  report.end_table();
}

void report_losses(ReportWriter& report, const Losses& losses) {
  report.field({"bytes_lost", Unit::bytes}, losses.bytes);
  report.field({"events_lost", Unit::count}, losses.may_be_more ? Cell() : Cell(losses.events));
}

void report_gaps(ReportWriter& report, const Losses& losses) {
  const std::array<ReportColumn, 7> columns{{{"path"},
                                             {"record", Unit::count},
                                             {"offset", Unit::count},
                                             {"bytes", Unit::bytes},
                                             {"records", Unit::count},
                                             {"events", Unit::count},
                                             {"reason"}}};
  report.begin_table("gaps", columns);
  for (const Losses::Lost& lost : losses.gaps) {
    report.row(std::array<Cell, 7>{lost.path, cell_of(lost.record), lost.gap.offset, lost.gap.bytes,
                                   cell_of(lost.gap.records), cell_of(lost.gap.events),
                                   lost.gap.reason});
  }
  report.end_table();
}

void report_readers(ReportWriter& report, const RewritingJob& job) {
  const std::string since = oxihipo_since(job);
  const std::array<ReportColumn, 4> columns{{{"reader"}, {"reads"}, {"since"}, {"reason"}}};
  report.begin_table("readers", columns);
  const auto row = [&](const char* reader, const std::string& reason, const std::string& release) {
    report.row(std::array<Cell, 4>{std::string(reader), reason.empty(),
                                   cell_or_null(reason.empty() ? release : ""),
                                   cell_or_null(reason)});
  };
  row("C++ hipo4", job.readable.cpp, "");
  row("Java", job.readable.java, "");
  row("oxihipo", job.readable.oxihipo, since);
  report.end_table();
}

void report_causes(ReportWriter& report, const char* name,
                   const std::map<Oddity, std::uint64_t>& events_by_cause) {
  const std::array<ReportColumn, 2> columns{{{"cause"}, {"events", Unit::count}}};
  report.begin_table(name, columns);
  for (const auto& [cause, events] : events_by_cause) {
    report.row(std::array<Cell, 2>{std::string(to_string(cause)), events});
  }
  report.end_table();
}

// Banks that events lost, and columns that schemas lost, with the number of events.
void report_edited(ReportWriter& report, const BankEditor& editor, const RewriteSummary& summary) {
  report.begin_table(
      "banks_dropped",
      std::array<ReportColumn, 4>{
          {{"name"}, {"group", Unit::count}, {"item", Unit::count}, {"events", Unit::count}}});
  for (const auto& [key, events] : summary.events_without_bank) {
    const auto name = editor.banks_dropped().find(key);
    report.row(
        std::array<Cell, 4>{name == editor.banks_dropped().end() ? Cell() : Cell(name->second),
                            std::uint64_t{key.group}, std::uint64_t{key.item}, events});
  }
  report.end_table();
  report.begin_table("columns_dropped",
                     std::array<ReportColumn, 3>{{{"bank"}, {"column"}, {"events", Unit::count}}});
  for (const BankEditor::BankColumn& column : editor.columns_dropped()) {
    const auto events = summary.events_with_narrowed_bank.find(column.key);
    report.row(std::array<Cell, 3>{
        column.bank, column.column,
        events == summary.events_with_narrowed_bank.end() ? std::uint64_t{0} : events->second});
  }
  report.end_table();
}

void report_settings(ReportWriter& report, const RewriteOptions& options, unsigned threads) {
  report_storage(
      report,
      {.compression = options.keep_compression ? std::nullopt : std::optional(options.compression),
       .record_bytes = options.record_bytes,
       .record_events = options.record_events,
       .threads = threads});
  report.field({"verify"}, std::string(to_string(options.verify)));
}

void report_outputs(ReportWriter& report, const RewritingJob& job,
                    const std::vector<WrittenOutput>& outputs) {
  const std::array<ReportColumn, 7> columns{{{"path"},
                                             {"tag", Unit::count},
                                             {"events", Unit::count},
                                             {"records", Unit::count},
                                             {"bytes", Unit::bytes},
                                             {"digest"},
                                             {"unordered_digest"}}};
  const bool by_tag = job.rewrite.splitting.by_tag;
  const auto path_of = [&](const WrittenOutput& output) {
    return job.pattern->path(by_tag ? output.key : output.key + 1).string();
  };
  report.begin_table("outputs", columns);
  for (const WrittenOutput& output : outputs) {
    report.row(std::array<Cell, 7>{path_of(output), by_tag ? Cell(output.key) : Cell(),
                                   output.events, output.records, output.file_bytes,
                                   output.digest ? Cell(output.digest->ordered) : Cell(),
                                   output.digest ? Cell(output.digest->unordered) : Cell()});
  }
  report.end_table();
  report.begin_table(
      "events_by_output_and_tag",
      std::array<ReportColumn, 3>{{{"path"}, {"tag", Unit::count}, {"events", Unit::count}}});
  for (const WrittenOutput& output : outputs) {
    const EventsByTag by_tag_here = output.events_by_tag.value_or(EventsByTag());
    for (const auto& [tag, events] : by_tag_here.counts()) {
      report.row(std::array<Cell, 3>{path_of(output), std::uint64_t{tag}, events});
    }
  }
  report.end_table();
}

}  // namespace

void report_written(ReportWriter& report, const RewritingJob& job, const RewritingResult& result) {
  const RewriteSummary& summary = result.summary;
  report.begin_document(job.verb);
  report.field({"outcome"}, std::string("written"));
  report.field({"output"}, output_name(*job.operands.output));
  report.field({"bytes_in", Unit::bytes}, summary.stored_bytes_in);
  report.field({"bytes_out", Unit::bytes}, summary.file_bytes_out);
  report.field({"ratio", Unit::ratio}, ratio(summary.stored_bytes_in, summary.file_bytes_out));
  report.field({"raw_bytes", Unit::bytes}, summary.raw_bytes);
  report.field({"raw_ratio", Unit::ratio}, ratio(summary.raw_bytes, summary.file_bytes_out));
  report.field({"events", Unit::count}, summary.events);
  if (job.selector != nullptr) {
    report.field({"events_in", Unit::count}, summary.events_in);
    report.field({"tag_mismatches", Unit::count}, summary.tag_mismatches);
    report.field({"records_passed_over", Unit::count}, summary.records_passed_over);
  }
  if (job.editor != nullptr) {
    report.field({"events_without_banks", Unit::count}, summary.events_without_banks);
  }
  if (job.selector != nullptr || job.editor != nullptr) {
    report.field({"streams_inflated", Unit::count}, summary.streams_inflated);
  }
  if (job.tagger != nullptr) {
    report.field({"events_retagged", Unit::count}, summary.events_retagged);
    report.field({"events_made_special", Unit::count}, summary.events_made_special);
  }
  report.field({"records_in", Unit::count}, summary.records_in);
  report.field({"records_out", Unit::count}, summary.records_out);
  report.field({"records_copied", Unit::count}, summary.records_copied);
  report.field({"records_fallen_back", Unit::count}, summary.records_fallen_back);
  report.field({"events_fallen_back", Unit::count}, summary.events_fallen_back);
  // Events that go to files by their tags have no order in common.
  report.field({"digest"}, summary.digest && !job.rewrite.splitting.by_tag
                               ? Cell(summary.digest->ordered)
                               : Cell());
  report.field({"unordered_digest"}, summary.digest ? Cell(summary.digest->unordered) : Cell());
  report.field({"index"}, std::string(all_valid(job) ? "valid" : "rebuilt"));
  const Losses losses = losses_of(job, summary.dropped);
  report_losses(report, losses);
  report_settings(report, job.rewrite, summary.threads);
  report_cost(report, result.cost);
  report.field({"stored_bytes_per_second", Unit::bytes_per_second},
               rate(summary.stored_bytes_in, result.cost.real_seconds));
  report.field({"raw_bytes_per_second", Unit::bytes_per_second},
               rate(summary.raw_bytes, result.cost.real_seconds));
  report.field({"events_of_other_tags", Unit::count},
               summary.events_by_tag ? Cell(summary.events_by_tag->others()) : Cell());
  report_inputs(report, job);
  if (summary.events_by_tag) {
    report_events_by_tag(report, summary.events_by_tag->counts());
  } else {
    report.field({"events_by_tag"}, Cell());
  }
  if (job.editor != nullptr) {
    report_edited(report, *job.editor, summary);
  }
  if (job.pattern) {
    report_outputs(report, job, result.outputs);
  }
  report_causes(report, "fallback_causes", summary.fallback_causes);
  report_causes(report, "discarded", summary.discarded);
  report_gaps(report, losses);
  report_readers(report, job);
  report_warnings(report, result.warnings);
  report.end_document();
}

void report_plan(ReportWriter& report, const RewritingJob& job, const RewritePlan& plan,
                 const SizeEstimate& estimate, const std::vector<std::string>& warnings) {
  std::uint64_t bytes_in = 0;
  std::uint64_t events = 0;
  std::uint64_t records = 0;
  for (const FileReader* input : job.inputs) {
    bytes_in += input->file_bytes();
    events += input->event_count();
    records += input->records().size();
  }
  report.begin_document(job.verb);
  report.field({"outcome"}, std::string("dry-run"));
  report.field({"output"}, job.operands.output ? Cell(job.operands.output->string()) : Cell());
  report.field({"bytes_in", Unit::bytes}, bytes_in);
  report.field({"predicted_bytes_out", Unit::bytes}, estimate.predicted_file_bytes);
  report.field({"predicted_ratio", Unit::ratio}, ratio(bytes_in, estimate.predicted_file_bytes));
  report.field({"sampled_raw_bytes", Unit::bytes}, estimate.sampled_raw_bytes);
  report.field({"sampled_stored_bytes", Unit::bytes}, estimate.sampled_stored_bytes);
  report.field({"declared_raw_bytes", Unit::bytes}, plan.declared_raw_bytes);
  report.field({"events", Unit::count}, events);
  report.field({"records_in", Unit::count}, records);
  report.field({"records_out_at_least", Unit::count}, plan.records_at_least);
  report.field({"index"}, std::string(all_valid(job) ? "valid" : "rebuilt"));
  const Losses losses = losses_of(job, {});
  report_losses(report, losses);
  report_settings(report, job.rewrite, plan.threads);
  report.field({"memory_bytes", Unit::bytes}, job.rewrite.memory_bytes);
  report.field({"memory_needed_bytes", Unit::bytes}, plan.memory_needed_bytes);
  report.field({"predicted_peak_memory_bytes", Unit::bytes}, plan.predicted_peak_bytes);
  report_inputs(report, job);
  report_gaps(report, losses);
  report_readers(report, job);
  report_warnings(report, warnings);
  report.end_document();
}

void report_skipped(ReportWriter& report, const RewritingJob& job) {
  report.begin_document(job.verb);
  report.field({"outcome"}, std::string("skipped"));
  report.field({"output"}, job.operands.output->string());
  report.end_document();
}

}  // namespace hipotool::app
