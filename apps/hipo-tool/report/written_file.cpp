#include "report/written_file.hpp"

#include <array>

namespace hipotool::app {

void report_storage(ReportWriter& report, const Storage& storage) {
  const std::optional<Compression>& compression = storage.compression;
  const CodecInfo* codec = compression ? &codec_info(compression->codec) : nullptr;
  const auto word = [&](auto member) {
    return compression ? Cell(std::string(to_string((*compression).*member))) : Cell();
  };
  report.field({"layout"}, word(&Compression::layout));
  report.field({"codec"}, word(&Compression::codec));
  report.field({"level"}, codec != nullptr && codec->max_level > 0
                              ? Cell(std::int64_t{compression->level})
                              : Cell());
  report.field({"encodings"}, word(&Compression::encodings));
  report.field({"effort"}, word(&Compression::effort));
  report.field({"record_bytes", Unit::bytes},
               storage.record_bytes == 0 ? Cell() : Cell(storage.record_bytes));
  report.field({"record_events", Unit::count}, std::uint64_t{storage.record_events});
  report.field({"threads", Unit::count}, std::uint64_t{storage.threads});
  report.field({"gzip_library"}, codec != nullptr && codec->id == CodecId::gzip
                                     ? cell_or_null(std::string(codec->library))
                                     : Cell());
}

void report_cost(ReportWriter& report, const Cost& cost) {
  report.field({"real_seconds", Unit::seconds}, cost.real_seconds);
  report.field({"sync_seconds", Unit::seconds}, cost.sync_seconds);
  report.field({"cpu_seconds", Unit::seconds}, cost.cpu_seconds);
  report.field({"peak_memory_bytes", Unit::bytes}, cost.peak_memory_bytes);
}

void report_events_by_tag(ReportWriter& report,
                          const std::map<std::uint32_t, std::uint64_t>& events_by_tag) {
  const std::array<ReportColumn, 2> columns{{{"tag", Unit::count}, {"events", Unit::count}}};
  report.begin_table("events_by_tag", columns);
  for (const auto& [tag, events] : events_by_tag) {
    report.row(std::array<Cell, 2>{std::uint64_t{tag}, events});
  }
  report.end_table();
}

void report_warnings(ReportWriter& report, const std::vector<std::string>& warnings) {
  const std::array<ReportColumn, 1> columns{{{"message"}}};
  report.begin_table("warnings", columns);
  for (const std::string& warning : warnings) {
    report.row(std::array<Cell, 1>{warning});
  }
  report.end_table();
}

Cell ratio(std::uint64_t bytes, std::uint64_t by) {
  return by > 0 ? Cell(static_cast<double>(bytes) / static_cast<double>(by)) : Cell();
}

Cell rate(std::uint64_t bytes, double seconds) {
  return seconds > 0 ? Cell(static_cast<double>(bytes) / seconds) : Cell();
}

}  // namespace hipotool::app
