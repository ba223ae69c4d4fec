#include "reading.hpp"

#include "hipotool/counted.hpp"

#include <fmt/format.h>

namespace hipotool::app {

FileReader open_to_look(const std::filesystem::path& path, ReaderOptions how) {
  how.accept_cut_record = true;
  return FileReader(path, how);
}

std::vector<std::string> doubts_about(const FileReader& reader, std::string_view done) {
  std::vector<std::string> doubts;
  if (reader.index() != IndexState::valid) {
    const std::size_t records = reader.records().size();
    doubts.push_back(fmt::format("index {} ({}); the {} found {} {}{}", to_string(reader.index()),
                                 reader.index_reason(), counted(records, "record"),
                                 verb_of(records, "is", "are"), done,
                                 reader.index() == IndexState::cut
                                     ? ", and recook --salvage saves them in a file of their own"
                                     : ""));
  }
  if (reader.appended() && !reader.appended()->is_taken) {
    doubts.push_back(fmt::format("{}; they are not {}", to_string(*reader.appended()), done));
  }
  return doubts;
}

}  // namespace hipotool::app
