#include "rewrite/encoding.hpp"

#include "hipotool/error.hpp"

#include <string>
#include <utility>

namespace hipotool::inline v0::rewriting {
namespace {

[[noreturn]] void refuse_fallback(const BatchPart& part, LayoutId layout) {
  std::string causes;
  for (const Oddity kind : kOddities) {
    if ((part.kinds & static_cast<std::uint8_t>(kind)) != 0) {
      causes += causes.empty() ? "" : ", ";
      causes += to_string(kind);
    }
  }
  throw Error(ErrorCode::not_representable,
              "the layout " + std::string(to_string(layout)) + " cannot hold " +
                  std::to_string(part.batch.event_count()) + " event(s): " + causes +
                  "; without --strict-layout they are kept in per-chunk records");
}

}  // namespace

EncodedBatch BatchEncoder::encode(OutputBatch batch, EncoderScratch& scratch) {
  EncodedBatch encoded;
  encoded.hashes = std::move(batch.routed.hashes);
  encoded.file = batch.routed.output;
  if (batch.copied) {
    encoded.parts.push_back({std::move(batch.copied), false, true, std::move(batch.copied_tags)});
    encoded.ticket = std::move(batch.ticket);
    return encoded;
  }
  const EventBatch& events = batch.routed.cut.events;
  const Compression& compression = batch.routed.cut.compression;
  if (compression.layout == LayoutId::per_chunk) {
    encoded.parts.push_back(encode_part(events, {compression}, scratch));
    return encoded;
  }
  const Storing fallback{{compression.codec, LayoutId::per_chunk, compression.level}};
  StreamChoices chosen;
  const Storing wanted{compression, batch.epoch.known(), batch.epoch.leads() ? &chosen : nullptr};
  for (const BatchPart& part : partition_for_split(events)) {
    const bool falls_back = part.kinds != 0;
    if (falls_back && options_.strict_layout) {
      refuse_fallback(part, compression.layout);
    }
    encoded.parts.push_back(encode_part(part.batch, falls_back ? fallback : wanted, scratch));
    encoded.parts.back().fallen_back = falls_back;
    for (const Oddity kind : kOddities) {
      if ((part.kinds & static_cast<std::uint8_t>(kind)) != 0) {
        encoded.causes[kind] += part.batch.event_count();
      }
    }
  }
  batch.epoch.publish(std::move(chosen));
  return encoded;
}

EncodedPart BatchEncoder::encode_part(const EventBatch& batch, const Storing& storing,
                                      EncoderScratch& scratch) {
  std::shared_ptr<EncodedRecord> encoded = encoded_.take();
  encode_within_share(batch, storing, scratch, *encoded);
  if (options_.verify != Verify::none) {
    scratch.verifier.require_holds(StoredRecord::borrow(std::as_const(*encoded).bytes()), batch,
                                   dictionary_, scratch.proving);
  }
  return {std::move(encoded), false, false,
          options_.splitting.any() ? tags_of(batch) : TagCounts()};
}

void BatchEncoder::encode_within_share(const EventBatch& batch, const Storing& storing,
                                       EncoderScratch& scratch, EncodedRecord& encoded) const {
  try {
    encode_choosing(batch, storing, dictionary_, scratch.encoding, encoded);
  } catch (const OverBudget& error) {
    throw Error(ErrorCode::over_budget,
                OverBudget(plan_.threads * error.needed_bytes(), options_.memory_bytes).message() +
                    " or a smaller --record-events: so many banks in so many events take a large "
                    "directory");
  }
}

}  // namespace hipotool::inline v0::rewriting
