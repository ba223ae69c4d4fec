#pragma once
// What a rewrite may hold in memory, decided before it starts.

#include "hipotool/rewrite.hpp"

namespace hipotool::inline v0::rewriting {

// The plan where one input record is known to take `record_bytes`, whatever the headers say.
[[nodiscard]] RewritePlan plan_for(std::span<const FileReader* const> inputs,
                                   const RewriteOptions& options, std::uint64_t record_bytes);

// Raw bytes of an output record at most, whatever its layout.
[[nodiscard]] std::uint64_t most_record_bytes(const RewriteOptions& options);

// What records take that are decoded as one, judged by their headers.
[[nodiscard]] std::uint64_t decoded_cost(std::span<const RecordEntry> records);

// Decoded records that may wait at once: enough that every thread has an output record to encode
// and an input to decode while the next output fills, and no more.
[[nodiscard]] std::uint64_t decode_budget(const RewritePlan& plan);

// A plan knows nothing of the records that a stream will bring; it takes them to be no larger than
// those of the output. Error{over_budget} for one that is larger and for which the memory does not
// suffice. `window` holds it alone.
void require_fits(const RewritePlan& plan, const RewriteOptions& options, const FileReader& window);

}  // namespace hipotool::inline v0::rewriting
