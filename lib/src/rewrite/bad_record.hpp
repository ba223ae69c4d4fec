#pragma once
// Which errors are the fault of a record, so that a rewrite can go on without it.

#include "hipotool/error.hpp"
#include "hipotool/reader.hpp"

namespace hipotool::inline v0::rewriting {

// Whether the bytes are to blame: neither the machine nor what was asked for.
[[nodiscard]] bool is_damage(ErrorCode code);

// Whether an Error on reading or decoding a record is the record's fault. A codec that this build
// lacks is not.
[[nodiscard]] bool is_bad_record(const RecordHeader& header, const Error& error);

}  // namespace hipotool::inline v0::rewriting
