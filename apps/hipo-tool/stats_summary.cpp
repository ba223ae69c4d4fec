#include "stats_summary.hpp"

#include "report/written_file.hpp"
#include "stats_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::app {

namespace {

std::string tag_names_of(std::uint32_t tag, const std::vector<TagName>& names) {
  std::string text;
  std::uint32_t rest = tag;
  for (const TagName& name : names) {
    const std::uint32_t mask = std::uint32_t{1} << name.bit;
    if ((tag & mask) != 0) {
      text += (text.empty() ? "" : "|") + name.name;
      rest &= ~mask;
    }
  }
  if (!text.empty() && rest != 0) {
    text += fmt::format("|{:#x}", rest);
  }
  return text;
}

void report_tags(ReportWriter& report, const StatsResult& result) {
  const std::array<ReportColumn, 3> columns{
      {{"tag", Unit::count}, {"names"}, {"events", Unit::count}}};
  report.begin_table("events_by_tag", columns);
  for (const auto& [tag, events] : result.summary.events_by_tag) {
    const std::string names = result.file ? tag_names_of(tag, result.file->tag_names) : "";
    report.row(std::array<Cell, 3>{std::uint64_t{tag}, cell_or_null(names), events});
  }
  report.end_table();
}

void report_runs(ReportWriter& report, const StatisticsSummary& summary) {
  const std::array<ReportColumn, 4> columns{{{"run", Unit::count},
                                             {"events", Unit::count},
                                             {"lowest_event", Unit::count},
                                             {"highest_event", Unit::count}}};
  report.begin_table("runs", columns);
  for (const RunStatistics& run : *summary.runs) {
    report.row(std::array<Cell, 4>{run.run, run.events, cell_of(run.lowest_event),
                                   cell_of(run.highest_event)});
  }
  report.end_table();
}

void report_storage(ReportWriter& report, const StatisticsSummary& summary) {
  const std::array<ReportColumn, 7> columns{{{"codec"},
                                             {"layout"},
                                             {"encodings"},
                                             {"records", Unit::count},
                                             {"events", Unit::count},
                                             {"stored_bytes", Unit::bytes},
                                             {"raw_bytes", Unit::bytes}}};
  report.begin_table("storage", columns);
  for (const StorageStatistics& one : summary.storage) {
    report.row(std::array<Cell, 7>{std::string(to_string(one.compression.codec)),
                                   std::string(to_string(one.compression.layout)),
                                   std::string(to_string(one.compression.encodings)), one.records,
                                   one.events, one.stored_bytes, one.raw_bytes});
  }
  report.end_table();
}

void report_record_sizes(ReportWriter& report, const StatisticsSummary& summary) {
  const std::array<ReportColumn, 4> bytes{
      {{"of"}, {"min", Unit::bytes}, {"median", Unit::bytes}, {"max", Unit::bytes}}};
  report.begin_table("record_sizes", bytes);
  const auto row = [&](const char* what, const std::optional<Spread>& spread) {
    if (spread) {
      report.row(std::array<Cell, 4>{std::string(what), spread->min, spread->median, spread->max});
    }
  };
  row("stored", summary.record_bytes);
  row("raw", summary.record_raw_bytes);
  report.end_table();
}

void report_duplicates(ReportWriter& report, const StatisticsSummary& summary) {
  if (!summary.duplicate_events) {
    return;
  }
  const std::array<ReportColumn, 4> columns{{{"event", Unit::count},
                                             {"equals", Unit::count},
                                             {"event_in_file", Unit::count},
                                             {"equals_in_file", Unit::count}}};
  report.begin_table("duplicates", columns);
  for (const DuplicateEvent& one : summary.duplicates) {
    report.row(std::array<Cell, 4>{one.event, one.original, std::uint64_t{one.event_in_file},
                                   std::uint64_t{one.original_in_file}});
  }
  report.end_table();
}

void report_readers(ReportWriter& report, const StatsFile& file) {
  const std::array<ReportColumn, 4> columns{{{"reader"}, {"reads"}, {"since"}, {"reason"}}};
  report.begin_table("readers", columns);
  const auto row = [&](const char* reader, const std::string& reason, const std::string& since) {
    report.row(std::array<Cell, 4>{std::string(reader), reason.empty(),
                                   cell_or_null(reason.empty() ? since : ""),
                                   cell_or_null(reason)});
  };
  row("C++ hipo4", file.readers.cpp, "");
  row("Java", file.readers.java, "");
  row("oxihipo", file.readers.oxihipo, file.oxihipo_since);
  report.end_table();
}

}  // namespace

void report_summary(ReportWriter& report, const StatsResult& result, const StatsOptions& options,
                    ReportFormat format) {
  const bool for_people = is_for_people(format);
  const StatisticsSummary& summary = result.summary;
  const auto* file = result.file ? &*result.file : nullptr;
  const auto count = [&](const char* name, std::uint64_t value) {
    report.field({name, Unit::count}, value);
  };
  // What is usually 0 is told to people only where it is not.
  const auto rare = [&](const char* name, std::uint64_t value, Unit unit = Unit::count) {
    report.field({name, unit}, for_people && value == 0 ? Cell() : Cell(value));
  };
  report.field({"path"}, file == nullptr ? Cell() : Cell(file->path));
  rare("files", for_people && file != nullptr ? 0 : summary.files);
  report.field({"bytes", Unit::bytes}, summary.file_bytes);
  report.field({"raw_bytes", Unit::bytes}, summary.raw_bytes);
  // Of all events only: nothing says what those that a filter chose take in the file.
  report.field({"ratio", Unit::ratio},
               options.filters() ? Cell() : ratio(summary.raw_bytes, summary.file_bytes));
  report.field({"index"}, file == nullptr ? Cell() : Cell(std::string(to_string(file->index))));
  report.field({"index_reason"}, file == nullptr ? Cell() : cell_or_null(file->index_reason));
  count("events", summary.events);
  rare("events_in_file", for_people && !options.filters() ? 0 : summary.events_in_file);
  if (options.condition) {
    rare("special_events", summary.exempt_events);
  } else {
    report.field({"special_events", Unit::count}, Cell());
  }
  count("empty_events", summary.empty_events);
  report.field({"duplicate_events", Unit::count}, cell_of(summary.duplicate_events));
  if (summary.runs) {
    rare("events_without_run", summary.events_without_run);
  } else {
    report.field({"events_without_run", Unit::count}, Cell());
  }
  rare("events_of_other_tags", summary.events_of_other_tags);
  rare("events_of_other_runs", summary.events_of_other_runs);
  count("records", summary.records);
  rare("empty_records", summary.empty_records);
  rare("tiny_records", summary.tiny_records);
  report.field({"median_record_events", Unit::count},
               summary.record_events ? Cell(summary.record_events->median) : Cell());
  rare("directory_bytes", summary.directory_bytes, Unit::bytes);
  const auto of_file = [&](const char* name, Unit unit, std::uint64_t StatsFile::*member) {
    report.field({name, unit}, file == nullptr ? Cell() : Cell(file->*member));
  };
  of_file("dictionary_bytes", Unit::bytes, &StatsFile::dictionary_bytes);
  of_file("schemas", Unit::count, &StatsFile::schemas);
  of_file("configuration_entries", Unit::count, &StatsFile::configuration_entries);
  rare("streams_inflated", for_people ? 0 : summary.streams_inflated);
  rare("bytes_read", for_people ? 0 : summary.bytes_read, Unit::bytes);
  report_tags(report, result);
  if (summary.runs) {
    report_runs(report, summary);
  } else if (format == ReportFormat::json) {
    report.field({"runs"}, Cell());
  }
  report_storage(report, summary);
  report_record_sizes(report, summary);
  report_duplicates(report, summary);
  if (file != nullptr) {
    report_readers(report, *file);
  }
}

}  // namespace hipotool::app
