#include "dump/file_view.hpp"

#include "report/written_file.hpp"

#include <set>

namespace hipotool::app {

namespace {

Cell text_of(std::string_view word) {
  return std::string(word);
}

std::string stored_as(const FileReader& reader) {
  std::set<std::string> pairs;
  for (const RecordEntry& entry : reader.records()) {
    pairs.insert(std::string(to_string(entry.header.codec)) + "/" +
                 std::string(to_string(entry.header.layout)));
  }
  std::string text;
  for (const std::string& pair : pairs) {
    text += (text.empty() ? "" : ", ") + pair;
  }
  return text;
}

}  // namespace

void require_listable(std::uint64_t bytes_of_names) {
  constexpr std::uint64_t kMost = std::uint64_t{64} << 20U;
  if (bytes_of_names > kMost) {
    throw Error(ErrorCode::unsupported,
                "names of banks are too long to be listed with each column");
  }
}

FileView header_view(const FileReader& reader) {
  const FileHeader& header = reader.header();
  const Dictionary& dictionary = reader.dictionary();
  FileView view{.word = "header"};
  view.fields = {
      {{"bytes", Unit::bytes}, reader.file_bytes()},
      {{"id"}, header.id},
      {{"byte_order"}, text_of(header.big_endian ? "big-endian" : "little-endian")},
      {{"file_number", Unit::count}, std::uint64_t{header.file_number}},
      {{"user_register", Unit::count}, header.user_register},
      {{"trailer_position", Unit::count}, header.trailer_position},
      {{"index"}, text_of(to_string(reader.index()))},
      {{"index_reason"}, cell_or_null(reader.index_reason())},
      {{"records", Unit::count}, std::uint64_t{reader.records().size()}},
      {{"empty_records", Unit::count}, reader.empty_records()},
      {{"stored_as"}, cell_or_null(stored_as(reader))},
      {{"events", Unit::count}, reader.event_count()},
      {{"dictionary_bytes", Unit::bytes}, std::uint64_t{header.dictionary_bytes}},
      {{"schemas", Unit::count}, std::uint64_t{dictionary.schemas().size()}},
      {{"configuration_entries", Unit::count}, std::uint64_t{dictionary.configuration().size()}},
      {{"tag_names", Unit::count}, std::uint64_t{dictionary.tag_names().size()}}};
  return view;
}

FileView schema_view(const std::vector<const Schema*>& schemas) {
  FileView view{.word = "schema", .table = "columns"};
  std::uint64_t bytes_of_names = 0;
  for (const Schema* schema : schemas) {
    bytes_of_names += schema->name().size() * schema->columns().size();
  }
  require_listable(bytes_of_names);
  view.columns = {{"bank"}, {"group", Unit::count}, {"item", Unit::count}, {"column"},
                  {"type"}, {"length", Unit::count}};
  for (const Schema* schema : schemas) {
    const auto add = [&](Cell column, Cell type, Cell length) {
      view.rows.push_back({schema->name(), std::uint64_t{schema->key().group},
                           std::uint64_t{schema->key().item}, std::move(column), std::move(type),
                           std::move(length)});
    };
    for (const Column& column : schema->columns()) {
      add(column.name, std::string(1, letter_of(column.type)), std::uint64_t{column.length});
    }
    if (schema->columns().empty()) {
      add({}, {}, {});
    }
  }
  return view;
}

FileView configuration_view(const Dictionary& dictionary) {
  FileView view{.word = "config", .table = "configuration"};
  view.columns = {{"key"}, {"value"}};
  for (const ConfigurationEntry& entry : dictionary.configuration()) {
    view.rows.push_back({entry.key, entry.value});
  }
  return view;
}

FileView tag_names_view(const Dictionary& dictionary) {
  FileView view{.word = "tags", .table = "names"};
  view.columns = {{"name"}, {"bit", Unit::count}, {"tag", Unit::count}};
  for (const TagName& name : dictionary.tag_names()) {
    view.rows.push_back(
        {name.name, std::uint64_t{name.bit}, std::uint64_t{std::uint32_t{1} << name.bit}});
  }
  return view;
}

void show(const FileView& view, const std::string& path, ReportFormat format,
          ReportWriter& report) {
  // A line of CSV stands for a row of the table, if there is one; it has no place for the rest.
  const bool rows_alone = format == ReportFormat::csv && !view.table.empty();
  report.begin_document("dump");
  if (format == ReportFormat::json) {
    report.field({"view"}, std::string(view.word));
  }
  if (!rows_alone) {
    report.field({"path"}, path);
    for (const auto& [column, cell] : view.fields) {
      report.field(column, cell);
    }
  }
  if (!view.table.empty()) {
    std::vector<ReportColumn> columns = view.columns;
    if (rows_alone) {
      columns.insert(columns.begin(), ReportColumn{"path"});
    }
    report.begin_table(view.table, columns);
    for (const std::vector<Cell>& row : view.rows) {
      std::vector<Cell> cells = row;
      if (rows_alone) {
        cells.insert(cells.begin(), path);
      }
      report.row(cells);
    }
    report.end_table();
  }
  report.end_document();
}

}  // namespace hipotool::app
