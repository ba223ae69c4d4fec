#pragma once
// Columns of CLAS12 banks that hold row numbers of other banks.

#include <optional>
#include <string>
#include <string_view>

namespace hipotool::inline v0::model {

// The bank whose rows the column counts, if that is known. "index" in banks of the event builder
// counts rows of a detector's bank that depends on the values of other columns: it is not known.
[[nodiscard]] std::optional<std::string> referenced_bank(std::string_view bank,
                                                         std::string_view column);

}  // namespace hipotool::inline v0::model
