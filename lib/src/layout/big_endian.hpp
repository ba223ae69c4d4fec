#pragma once
// The one place where byte order is put right in a payload (docs/format.md section 9).

#include "hipotool/bytes.hpp"
#include "hipotool/dictionary.hpp"
#include "hipotool/directory.hpp"

namespace hipotool::inline v0::layout {

// Turns the inflated payload of a big-endian whole record into its little-endian form: index array,
// event and structure headers, and the data of banks whose element sizes are known. Bytes of a
// structure with neither schema nor format stay as they are. Error{corrupt} for an event that runs
// past the payload.
void normalise_big_endian(const RecordHeader& header, const Dictionary& dictionary,
                          MutableByteSpan payload);

}  // namespace hipotool::inline v0::layout
