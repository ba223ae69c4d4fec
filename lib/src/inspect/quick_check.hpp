#pragma once
// The look at a file that costs next to nothing: its head, its trailer and its last record.

#include "hipotool/check.hpp"

#include "file/file_walk.hpp"

#include <cstdint>
#include <optional>

namespace hipotool::inline v0::inspect {

// Fills in what the ends of the file tell, and adds to its findings at most one. Reads the head,
// the trailer, the last record's header and directory, and 64 record headers at most. Error for a
// damaged head or last record, and for what the source throws; OverBudget where the last record's
// directory takes more than `memory_bytes`. Returns what follows the trailer; where something does,
// its record headers are read, too.
[[nodiscard]] std::optional<Appended> check_quickly(const ByteSource& source,
                                                    std::uint64_t memory_bytes,
                                                    CheckReport& report);

}  // namespace hipotool::inline v0::inspect
