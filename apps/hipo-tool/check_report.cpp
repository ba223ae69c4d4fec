#include "check_report.hpp"

#include "report/printable.hpp"
#include "report/written_file.hpp"

#include <fmt/format.h>

#include <array>

namespace hipotool::app {

namespace {

Cell word(std::string_view text) {
  return std::string(text);
}

void report_error(ReportWriter& writer, const CheckReport& report) {
  const Error* error = report.findings.empty() || !report.findings.front().error
                           ? nullptr
                           : &*report.findings.front().error;
  const auto where = [error](auto member) {
    return error == nullptr ? Cell() : cell_of(error->context().*member);
  };
  writer.field({"error_code"}, error == nullptr ? Cell() : word(to_string(error->code())));
  writer.field({"error_record", Unit::count}, where(&ErrorContext::record));
  writer.field({"error_record_offset", Unit::count}, where(&ErrorContext::record_offset));
  writer.field({"error_offset", Unit::count}, error == nullptr ? Cell() : cell_of(error->offset()));
  writer.field({"error_event", Unit::count}, where(&ErrorContext::event));
  writer.field({"error_bank"}, error == nullptr ? Cell() : cell_or_null(error->context().bank));
  writer.field({"error_column"}, error == nullptr ? Cell() : cell_or_null(error->context().column));
}

void report_findings(ReportWriter& writer, const CheckReport& report) {
  const std::array<ReportColumn, 8> columns{{{"verdict"},
                                             {"message"},
                                             {"code"},
                                             {"record", Unit::count},
                                             {"record_offset", Unit::count},
                                             {"offset", Unit::count},
                                             {"event", Unit::count},
                                             {"bank"}}};
  writer.begin_table("findings", columns);
  for (const CheckFinding& finding : report.findings) {
    std::array<Cell, 8> cells{word(to_string(finding.verdict)), finding.message};
    if (finding.error) {
      const ErrorContext& context = finding.error->context();
      cells[2] = word(to_string(finding.error->code()));
      cells[3] = cell_of(context.record);
      cells[4] = cell_of(context.record_offset);
      cells[5] = cell_of(finding.error->offset());
      cells[6] = cell_of(context.event);
      cells[7] = cell_or_null(context.bank);
    }
    writer.row(cells);
  }
  writer.end_table();
}

void report_gaps(ReportWriter& writer, const std::vector<Gap>& gaps) {
  const std::array<ReportColumn, 5> columns{{{"offset", Unit::count},
                                             {"bytes", Unit::bytes},
                                             {"records", Unit::count},
                                             {"events", Unit::count},
                                             {"reason"}}};
  writer.begin_table("gaps", columns);
  for (const Gap& gap : gaps) {
    writer.row(std::array<Cell, 5>{gap.offset, gap.bytes, cell_of(gap.records), cell_of(gap.events),
                                   gap.reason});
  }
  writer.end_table();
}

void report_user_words(ReportWriter& writer, const CheckReport& report) {
  const std::array<ReportColumn, 4> columns{{{"word", Unit::count},
                                             {"records", Unit::count},
                                             {"events", Unit::count},
                                             {"bytes", Unit::bytes}}};
  writer.begin_table("records_by_user_word", columns);
  for (const auto& [value, tally] : report.by_user_word) {
    writer.row(std::array<Cell, 4>{value, tally.records, tally.events, tally.stored_bytes});
  }
  writer.end_table();
}

void report_storage(ReportWriter& writer, const CheckReport& report) {
  const std::array<ReportColumn, 5> columns{{{"codec"},
                                             {"layout"},
                                             {"records", Unit::count},
                                             {"events", Unit::count},
                                             {"bytes", Unit::bytes}}};
  writer.begin_table("storage", columns);
  for (const auto& [pair, tally] : report.by_compression) {
    writer.row(std::array<Cell, 5>{word(to_string(pair.first)), word(to_string(pair.second)),
                                   tally.records, tally.events, tally.stored_bytes});
  }
  writer.end_table();
}

void report_oddities(ReportWriter& writer, const CheckOddities& oddities) {
  const std::array<ReportColumn, 2> columns{{{"kind"}, {"count", Unit::count}}};
  writer.begin_table("oddities", columns);
  const auto row = [&](std::string_view kind, std::uint64_t count) {
    if (count != 0) {
      writer.row(std::array<Cell, 2>{word(kind), count});
    }
  };
  for (const auto& [kind, events] : oddities.events) {
    row(to_string(kind), events);
  }
  row("ragged-bank", oddities.ragged_banks);
  row("bank-without-schema", oddities.banks_without_schema);
  row("payload-surplus", oddities.records_with_surplus);
  row("unread-dictionary-text", oddities.unread_dictionary_texts);
  writer.end_table();
}

Cell coverage(const std::optional<std::uint64_t>& covered,
              const std::optional<std::uint64_t>& stored) {
  return covered && stored ? ratio(*covered, *stored) : Cell();
}

}  // namespace

void CheckTotal::add(const CheckReport& report) {
  ++files;
  ++files_by_verdict[report.verdict];
  bytes += report.bytes.value_or(0);
  records += report.records.value_or(0);
  events += report.events.value_or(0);
  events_recoverable += report.good_events.value_or(0);
  bytes_lost += report.bytes_lost.value_or(0);
  stored_bytes += report.stored_bytes.value_or(0);
  checksummed_bytes += report.checksummed_bytes.value_or(0);
  if (report.events_by_tag) {
    events_by_tag.add(*report.events_by_tag);
  }
}

void report_file(ReportWriter& writer, const CheckedFile& file) {
  const CheckReport& report = file.report;
  writer.begin_document("check");
  writer.field({"path"}, report.path);
  writer.field({"verdict"}, word(to_string(report.verdict)));
  writer.field({"reason"}, cell_or_null(report.reason));
  writer.field({"digest"}, report.digest ? Cell(report.digest->ordered) : Cell());
  writer.field({"unordered_digest"}, report.digest ? Cell(report.digest->unordered) : Cell());
  writer.field({"expected_digest"}, cell_of(file.expected_digest));
  writer.field({"depth"}, word(to_string(report.depth)));
  writer.field({"bytes", Unit::bytes}, cell_of(report.bytes));
  writer.field({"records", Unit::count}, cell_of(report.records));
  writer.field({"empty_records", Unit::count}, cell_of(report.empty_records));
  writer.field({"events", Unit::count}, cell_of(report.events));
  writer.field({"index"}, report.index ? word(to_string(*report.index)) : Cell());
  writer.field({"stray_bytes", Unit::bytes}, cell_of(report.stray_bytes));
  writer.field({"bad_records", Unit::count}, cell_of(report.bad_records));
  writer.field({"records_recoverable", Unit::count}, cell_of(report.good_records));
  writer.field({"events_recoverable", Unit::count}, cell_of(report.good_events));
  writer.field({"bytes_lost", Unit::bytes}, cell_of(report.bytes_lost));
  writer.field({"bytes_missing", Unit::bytes}, cell_of(report.bytes_missing));
  writer.field({"stored_bytes", Unit::bytes}, cell_of(report.stored_bytes));
  writer.field({"checksummed_bytes", Unit::bytes}, cell_of(report.checksummed_bytes));
  writer.field({"checksum_coverage", Unit::ratio},
               coverage(report.checksummed_bytes, report.stored_bytes));
  writer.field({"mixed_records", Unit::count}, cell_of(report.mixed_records));
  writer.field({"events_of_other_tags", Unit::count},
               report.events_by_tag ? Cell(report.events_by_tag->others()) : Cell());
  report_error(writer, report);
  report_findings(writer, report);
  report_gaps(writer, report.gaps);
  report_user_words(writer, report);
  report_storage(writer, report);
  if (report.events_by_tag) {
    report_events_by_tag(writer, report.events_by_tag->counts());
  } else {
    writer.unknown_table("events_by_tag");
  }
  if (report.oddities) {
    report_oddities(writer, *report.oddities);
  } else {
    writer.unknown_table("oddities");
  }
  writer.end_document();
}

void report_total(ReportWriter& writer, const CheckTotal& total, CheckDepth depth) {
  std::uint64_t good = 0;
  for (const auto& [verdict, files] : total.files_by_verdict) {
    good += is_good(verdict) ? files : 0;
  }
  const bool is_full = depth == CheckDepth::full;
  const auto full = [is_full](std::uint64_t value) { return is_full ? Cell(value) : Cell(); };
  writer.begin_document("check");
  writer.field({"files", Unit::count}, total.files);
  writer.field({"good_files", Unit::count}, good);
  writer.field({"bad_files", Unit::count}, total.files - good);
  writer.field({"depth"}, word(to_string(depth)));
  writer.field({"bytes", Unit::bytes}, total.bytes);
  writer.field({"records", Unit::count}, total.records);
  writer.field({"events", Unit::count}, total.events);
  writer.field({"events_recoverable", Unit::count}, full(total.events_recoverable));
  writer.field({"bytes_lost", Unit::bytes}, full(total.bytes_lost));
  writer.field({"stored_bytes", Unit::bytes}, full(total.stored_bytes));
  writer.field({"checksummed_bytes", Unit::bytes}, full(total.checksummed_bytes));
  writer.field({"checksum_coverage", Unit::ratio},
               is_full ? ratio(total.checksummed_bytes, total.stored_bytes) : Cell());
  writer.field({"events_of_other_tags", Unit::count}, full(total.events_by_tag.others()));
  const std::array<ReportColumn, 2> columns{{{"verdict"}, {"files", Unit::count}}};
  writer.begin_table("files_by_verdict", columns);
  for (const auto& [verdict, files] : total.files_by_verdict) {
    writer.row(std::array<Cell, 2>{word(to_string(verdict)), files});
  }
  writer.end_table();
  if (is_full) {
    report_events_by_tag(writer, total.events_by_tag.counts());
  } else {
    writer.unknown_table("events_by_tag");
  }
  writer.end_document();
}

std::string line_of(const CheckReport& report, bool digest, bool raw) {
  const bool good = is_good(report.verdict);
  if (good && !digest) {
    return "";
  }
  std::string line;
  if (digest) {
    line = report.digest ? fmt::format("{}\t{}\t{}\t", report.digest->ordered,
                                       report.digest->unordered, report.digest->events)
                         : "-\t-\t-\t";
  }
  line += raw ? report.path : tsv_field(report.path);
  if (!good) {
    line += fmt::format("\t{}\t{}", to_string(report.verdict), tsv_field(report.reason));
  }
  return line;
}

}  // namespace hipotool::app
