#pragma once
// The second parallel step of a rewrite: events that are to become one record are encoded, and the
// record is decoded again and held against them. Records that are taken over pass through.

#include "hipotool/dictionary.hpp"
#include "hipotool/digest.hpp"
#include "hipotool/epochs.hpp"
#include "hipotool/event_batch.hpp"
#include "hipotool/rewrite.hpp"
#include "hipotool/transcode.hpp"

#include "pipeline/ordered_pipeline.hpp"
#include "pipeline/recycler.hpp"
#include "rewrite/lanes.hpp"
#include "rewrite/outputs.hpp"
#include "rewrite/record_verifier.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace hipotool::inline v0::rewriting {

// Either events to encode or a record to take over.
struct OutputBatch {
  RoutedBatch routed{};
  EpochPart epoch{};
  std::shared_ptr<EncodedRecord> copied{};
  TagCounts copied_tags{};
  pipeline::Ticket ticket{};
};

struct EncodedPart {
  std::shared_ptr<EncodedRecord> record;
  bool fallen_back = false;
  bool copied = false;
  TagCounts tags{};
};

// A batch after this step: one record, or several where the layout cannot hold some of the events.
struct EncodedBatch {
  std::vector<EncodedPart> parts{};
  std::vector<EventHash> hashes{};  // of the events of all parts
  std::uint64_t file = 0;
  std::map<Oddity, std::uint64_t> causes{};
  pipeline::Ticket ticket{};
};

// Scratch memory of one thread.
struct EncoderScratch {
  CodecContext encoding{};
  CodecContext proving{};
  RecordVerifier verifier{};
};

// Thread-safe, with a scratch for each thread.
class BatchEncoder {
 public:
  // All arguments must outlive the encoder; `plan` is that of the pass under way.
  BatchEncoder(const RewriteOptions& options, const RewritePlan& plan, const Dictionary& dictionary,
               pipeline::Recycler<EncodedRecord>& encoded)
      : options_(options), plan_(plan), dictionary_(dictionary), encoded_(encoded) {}

  // Error{not_representable} for events that only another layout can hold, with strict_layout;
  // Error{over_budget} where the context of `scratch` has a limit.
  [[nodiscard]] EncodedBatch encode(OutputBatch batch, EncoderScratch& scratch);

 private:
  EncodedPart encode_part(const EventBatch& batch, const Storing& storing, EncoderScratch& scratch);
  void encode_within_share(const EventBatch& batch, const Storing& storing, EncoderScratch& scratch,
                           EncodedRecord& encoded) const;

  const RewriteOptions& options_;
  const RewritePlan& plan_;
  const Dictionary& dictionary_;
  pipeline::Recycler<EncodedRecord>& encoded_;
};

}  // namespace hipotool::inline v0::rewriting
