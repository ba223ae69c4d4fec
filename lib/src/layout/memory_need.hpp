#pragma once
// What reading a record takes of memory, held against what its context may take before anything is
// allocated for it. Sizes come from the file, so a small one may claim any.

#include "layout/layout.hpp"

#include <cstdint>

namespace hipotool::inline v0::layout {

// OverBudget where the context may not take that much. Of encoding the directory alone is counted:
// it has a place for each bank in each event, whatever the events hold.
void require_allowed(std::uint64_t bytes, const CodecContext::State& context);

// The directory of a split record, before it is inflated.
void require_directory_fits(const StoredRecord& stored, std::uint64_t directory_raw_bytes,
                            const CodecContext::State& context);

// What the projection wants of a split record.
void require_split_fits(const DecodeInput& input);

// A per-chunk record that inflates to `payload_bytes`, before it is inflated; what notes where its
// banks lie is not counted yet. Returns what was counted.
std::uint64_t require_payload_fits(const StoredRecord& stored, std::uint64_t payload_bytes,
                                   const CodecContext::State& context);

// Notes of where banks lie, for a record whose payload is there and takes `taken_bytes` so far.
class NotesAllowed {
 public:
  NotesAllowed() = default;  // any number
  // OverBudget where the banks of `record` are too many.
  NotesAllowed(const Record& record, std::uint64_t taken_bytes, const CodecContext::State& context);

  // Before the first note of the `blocks`th bank. OverBudget where they are too many.
  void require_block(const Record& record, std::size_t blocks) {
    if (blocks > most_blocks_) {
      require_exactly(record);
    }
  }

 private:
  void require_exactly(const Record& record);

  std::uint64_t taken_bytes_ = 0;  // blocks left out
  std::size_t most_blocks_ = ~std::size_t{0};
  const CodecContext::State* context_ = nullptr;
};

// Frees what an empty record keeps for the next one, where the two together could be too much.
void release_excess(const CodecContext::State& context, Record& record);

}  // namespace hipotool::inline v0::layout
