#pragma once
// Files opened by commands that only look at them: what is there is shown, and what is doubtful
// about it is said.

#include "hipotool/reader.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hipotool::app {

// A file that was cut opens, without what is left of its last record.
[[nodiscard]] FileReader open_to_look(const std::filesystem::path& path, ReaderOptions how = {});

// Why the records found may not be all; `done` is what becomes of them: "shown". Without the path.
[[nodiscard]] std::vector<std::string> doubts_about(const FileReader& reader,
                                                    std::string_view done);

}  // namespace hipotool::app
