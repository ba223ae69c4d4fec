#include "hipotool/record_plan.hpp"

#include "rewrite/cutting.hpp"

#include <utility>

namespace hipotool {
inline namespace v0 {

std::vector<PlannedRecord> plan_records(std::span<const std::shared_ptr<const Record>> records,
                                        const Compression& compression, std::uint64_t record_bytes,
                                        std::uint32_t record_events) {
  rewriting::Cutter cutter({record_bytes, record_events});
  std::vector<rewriting::CutBatch> batches;
  for (const std::shared_ptr<const Record>& record : records) {
    cutter.add({record, 0, record->event_count()}, compression, batches);
  }
  cutter.close(batches);
  std::vector<PlannedRecord> planned;
  for (rewriting::CutBatch& batch : batches) {
    if (compression.layout == LayoutId::per_chunk) {
      planned.push_back({std::move(batch.events), compression});
      continue;
    }
    const Compression fallback{compression.codec, LayoutId::per_chunk, compression.level};
    for (BatchPart& part : partition_for_split(batch.events)) {
      planned.push_back({std::move(part.batch), part.kinds != 0 ? fallback : compression});
    }
  }
  return planned;
}

}  // namespace v0
}  // namespace hipotool
