#pragma once
// What a file says about itself, without its events: one view is one question. A view is found
// first and shown afterwards, so that damage met on the way leaves no half document behind.

#include "hipotool/error.hpp"
#include "hipotool/reader.hpp"

#include "report/table.hpp"
#include "report/writer.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipotool::app {

struct FileView {
  std::string_view word{};  // "records"; the value of "view" in JSON
  std::vector<std::pair<ReportColumn, Cell>> fields{};
  // Empty: there are single values only.
  std::string_view table{};
  std::vector<ReportColumn> columns{};
  std::vector<std::vector<Cell>> rows{};
  // What could not be found out; the rows concerned have null in its place.
  std::vector<Error> problems{};
};

// The name of a bank stands in the row of each of its columns. Error{unsupported} where a hostile
// file has names so long that these rows would take more than any true ones.
void require_listable(std::uint64_t bytes_of_names);

[[nodiscard]] FileView header_view(const FileReader& reader);
// Reads the directories of split records, and inflates nothing else. None may take more than
// `memory_bytes`.
[[nodiscard]] FileView records_view(const FileReader& reader, std::uint64_t memory_bytes);
// One row for each column of the schemas.
[[nodiscard]] FileView schema_view(const std::vector<const Schema*>& schemas);
[[nodiscard]] FileView configuration_view(const Dictionary& dictionary);
[[nodiscard]] FileView tag_names_view(const Dictionary& dictionary);
// Every compressed piece of one record, its directory first. Error{not_found} for a record that the
// file does not have.
[[nodiscard]] FileView streams_view(const FileReader& reader, std::uint64_t record,
                                    std::uint64_t memory_bytes);

// As one document of `dump`. `path` names the file; where several are shown as CSV it is in each
// row.
void show(const FileView& view, const std::string& path, ReportFormat format, ReportWriter& report);

}  // namespace hipotool::app
