#include "rewrite/lanes.hpp"

#include "hipotool/error.hpp"
#include "hipotool/writer.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace hipotool::inline v0::rewriting {
namespace {

// More tags than any analysis has at once. A file may hold millions: then lanes are closed early.
constexpr std::size_t kMostLanes = 16'384;

// Copies from so many records, or of so many bytes, become one.
constexpr std::size_t kMostSmall = 64;
constexpr std::uint64_t kMostSmallBytes = std::uint64_t{1} << 20;

// Memory of a record that was copied for few events.
std::uint64_t memory_of(const Record& record) {
  std::uint64_t bytes = sizeof(Record) + record.payload.size() + 16 * record.tags.size();
  for (const BankBlock& block : record.blocks()) {
    bytes += sizeof(BankBlock) + sizeof(BankOccurrence) * block.occurrences.size();
  }
  return bytes;
}

std::uint64_t raw_bytes(const Record& record) {
  std::uint64_t bytes = 0;
  for (const std::uint32_t size : record.event_sizes) {
    bytes += std::uint64_t{4} + size;
  }
  return bytes;
}

}  // namespace

Lanes::Lanes(const RewriteOptions& options, const Dictionary& dictionary,
             std::uint64_t most_open_bytes)
    : options_(options),
      dictionary_(dictionary),
      most_open_bytes_(most_open_bytes),
      by_tag_(parts_tags(options)) {}

void Lanes::add(std::span<const EventRun> runs, std::span<const EventHash> hashes,
                const Compression& compression, std::vector<RoutedBatch>& done) {
  if (by_tag_) {
    add_by_tag(runs, hashes, compression, done);
    keep_within_memory(done);
  } else if (!runs.empty()) {
    add_in_line(runs, hashes, compression, done);
  }
}

void Lanes::add_in_line(std::span<const EventRun> runs, std::span<const EventHash> hashes,
                        const Compression& compression, std::vector<RoutedBatch>& done) {
  const Record& record = *runs.front().record;
  EventBatch events;
  events.user_words = record.user_words;
  for (const EventRun& run : runs) {
    events.append(run.record, run.first, run.count);
  }
  if (events.event_count() < record.event_count() && 2 * events.raw_bytes() < raw_bytes(record)) {
    const std::shared_ptr<const Record> copy = copy_of(events);
    add_all(0, {{copy, 0, copy->event_count()}, true, compression}, hashes, done);
    return;
  }
  for (const EventRun& run : runs) {
    add_all(0, {run, false, compression}, hashes, done);
  }
}

void Lanes::add_by_tag(std::span<const EventRun> runs, std::span<const EventHash> hashes,
                       const Compression& compression, std::vector<RoutedBatch>& done) {
  std::map<std::uint32_t, Share> shares;
  std::vector<EventRun> pieces;  // of one tag each
  for (const EventRun& run : runs) {
    const std::uint32_t end = run.first + run.count;
    for (std::uint32_t first = run.first; first < end;) {
      const std::uint32_t tag = run.record->tag(first);
      std::uint32_t next = first + 1;
      while (next < end && run.record->tag(next) == tag) {
        ++next;
      }
      if (shares.size() >= kMostLanes && !shares.contains(tag)) {
        // All lanes are closed at once, so nothing needs to be copied.
        add_shares(shares, pieces, hashes, compression, done);
        close(done);
        shares.clear();
        pieces.clear();
      }
      EventBatch& share = shares[tag].events;
      share.append(run.record, first, next - first);
      share.user_words = run.record->user_words;
      pieces.push_back({run.record, first, next - first});
      first = next;
    }
  }
  copy_small(shares, runs);
  add_shares(shares, pieces, hashes, compression, done);
}

// What a lane takes little of a record for would keep all of it alive.
void Lanes::copy_small(std::map<std::uint32_t, Share>& shares, std::span<const EventRun> runs) {
  if (runs.empty()) {
    return;
  }
  const std::uint64_t record_bytes = raw_bytes(*runs.front().record);
  for (auto& [tag, share] : shares) {
    if (2 * share.events.raw_bytes() < record_bytes) {
      share.copy = copy_of(share.events);
    }
  }
}

void Lanes::add_shares(std::map<std::uint32_t, Share>& shares, std::span<const EventRun> runs,
                       std::span<const EventHash>& hashes, const Compression& compression,
                       std::vector<RoutedBatch>& done) {
  for (const EventRun& run : runs) {
    const std::uint32_t tag = run.record->tag(run.first);
    Share& share = shares.at(tag);
    EventRun piece = run;
    if (share.copy) {
      piece = {share.copy, share.taken, run.count};
      share.taken += run.count;
    }
    add_all(tag, {piece, share.copy != nullptr, compression}, hashes, done);
  }
  for (const auto& [tag, share] : shares) {
    if (const auto lane = lanes_.find(tag); lane != lanes_.end()) {
      (share.copy ? lane->second.small_bytes : lane->second.open_bytes) +=
          share.copy ? memory_of(*share.copy) : 2 * share.events.raw_bytes();
    }
  }
}

// All of it goes to one lane, but perhaps to several files.
void Lanes::add_all(std::uint32_t tag, const Piece& piece, std::span<const EventHash>& hashes,
                    std::vector<RoutedBatch>& done) {
  EventRun left = piece.run;
  while (left.count > 0) {
    EventRun part = left;
    if (options_.splitting.events != 0) {
      part.count = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(left.count, options_.splitting.events - output_events_));
    }
    const std::size_t hashed = std::min<std::size_t>(part.count, hashes.size());
    add_to(tag, {part, piece.copied, piece.compression}, hashes.first(hashed), done);
    hashes = hashes.subspan(hashed);
    count(part.count, done);
    left.first += part.count;
    left.count -= part.count;
  }
}

std::optional<std::uint64_t> Lanes::make_way(std::uint32_t tag, std::uint64_t events,
                                             std::vector<RoutedBatch>& done) {
  if (options_.splitting.events != 0 && output_events_ + events > options_.splitting.events) {
    return std::nullopt;
  }
  const std::uint32_t key = by_tag_ ? tag : 0;
  close_lane(key, lane_of(key, done), done);
  lanes_.erase(key);
  const std::uint64_t output = options_.splitting.by_tag ? tag : output_;
  count(events, done);
  return output;
}

void Lanes::close(std::vector<RoutedBatch>& done) {
  for (auto& [tag, lane] : lanes_) {
    close_lane(tag, lane, done);
  }
  lanes_.clear();
}

Lanes::Lane& Lanes::lane_of(std::uint32_t tag, std::vector<RoutedBatch>& done) {
  const auto known = lanes_.find(tag);
  if (known != lanes_.end()) {
    return known->second;
  }
  if (options_.splitting.by_tag && outputs_.insert(tag).second &&
      outputs_.size() > kMostTagOutputs) {
    throw Error(ErrorCode::not_representable,
                "more than " + std::to_string(kMostTagOutputs) +
                    " different tags, and each would get a file of its own; choose some of them");
  }
  if (lanes_.size() >= kMostLanes) {
    close(done);
  }
  return lanes_.try_emplace(tag, CutLimits{options_.record_bytes, options_.record_events})
      .first->second;
}

void Lanes::add_to(std::uint32_t tag, const Piece& piece, std::span<const EventHash> hashes,
                   std::vector<RoutedBatch>& done) {
  Lane& lane = lane_of(tag, done);
  const EventRun& run = piece.run;
  const auto joins = [&] {
    const Record& first = *lane.small.runs().front().record;
    return first.user_words == run.record->user_words &&
           piece.compression == lane.small_compression &&
           std::equal(first.user_header.begin(), first.user_header.end(),
                      run.record->user_header.begin(), run.record->user_header.end());
  };
  if (!lane.small.empty() &&
      (!piece.copied || lane.small.runs().size() >= kMostSmall || !joins())) {
    join_small(tag, lane, done);
  }
  lane.hashes.insert(lane.hashes.end(), hashes.begin(), hashes.end());
  if (piece.copied) {
    lane.small.append(run.record, run.first, run.count);
    lane.small.user_words = run.record->user_words;
    lane.small_compression = piece.compression;
    if (lane.small.raw_bytes() >= kMostSmallBytes) {
      join_small(tag, lane, done);
    }
    return;
  }
  std::vector<CutBatch> cut;
  lane.cutter.add(run, piece.compression, cut);
  route(tag, lane, std::move(cut), done);
}

void Lanes::join_small(std::uint32_t tag, Lane& lane, std::vector<RoutedBatch>& done) {
  if (lane.small.empty()) {
    return;
  }
  EventRun run = lane.small.runs().front();
  if (lane.small.runs().size() > 1) {
    const std::shared_ptr<const Record> joined = copy_of(lane.small);
    run = {joined, 0, joined->event_count()};
  }
  lane.small.clear();
  lane.small_bytes = 0;
  std::vector<CutBatch> cut;
  lane.cutter.add(run, lane.small_compression, cut);
  route(tag, lane, std::move(cut), done);
  lane.open_bytes += memory_of(*run.record);
}

void Lanes::count(std::uint64_t events, std::vector<RoutedBatch>& done) {
  output_events_ += events;
  if (options_.splitting.events != 0 && output_events_ >= options_.splitting.events) {
    close(done);
    ++output_;
    output_events_ = 0;
    output_records_ = 0;
  }
}

void Lanes::route(std::uint32_t tag, Lane& lane, std::vector<CutBatch>&& cut,
                  std::vector<RoutedBatch>& done) {
  if (cut.empty()) {
    return;
  }
  auto hash = lane.hashes.begin();
  for (CutBatch& batch : cut) {
    if (options_.record_words_from_tags) {
      batch.events.user_words.first = tag;
    }
    const auto events =
        std::min<std::ptrdiff_t>(batch.events.event_count(), lane.hashes.end() - hash);
    done.push_back(
        {std::move(batch), {hash, hash + events}, options_.splitting.by_tag ? tag : output_});
    hash += events;
  }
  lane.hashes.erase(lane.hashes.begin(), hash);
  lane.open_bytes = 0;
}

// What many tags come to is known here before it takes memory.
void Lanes::require_room() {
  ++output_records_;
  const bool to_one_file = !options_.splitting.by_tag && options_.splitting.bytes == 0;
  if (to_one_file && output_records_ > FileWriter::kMaxRecords) {
    throw Error(ErrorCode::not_representable,
                "more than " + std::to_string(FileWriter::kMaxRecords) +
                    " records cannot be indexed; use a larger record size" +
                    (by_tag_ ? ", or fewer different tags" : ""));
  }
}

void Lanes::close_lane(std::uint32_t tag, Lane& lane, std::vector<RoutedBatch>& done) {
  join_small(tag, lane, done);
  std::vector<CutBatch> cut;
  lane.cutter.close(cut);
  route(tag, lane, std::move(cut), done);
}

std::shared_ptr<const Record> Lanes::copy_of(const EventBatch& events) {
  encode(events, {.codec = CodecId::none, .layout = LayoutId::per_chunk}, dictionary_, context_,
         image_);
  const StoredRecord stored = StoredRecord::borrow(std::as_const(image_).bytes());
  read_directory(stored, context_, directory_);
  const auto copy = std::make_shared<Record>();
  decode(stored, directory_, dictionary_, Projection::everything(), context_, *copy);
  require_equal(events, *copy);
  return copy;
}

void Lanes::keep_within_memory(std::vector<RoutedBatch>& done) {
  std::uint64_t open_bytes = 0;
  for (const auto& [tag, lane] : lanes_) {
    open_bytes += lane.open_bytes + lane.small_bytes;
  }
  if (open_bytes <= most_open_bytes_) {
    return;
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> fullest_last;
  for (const auto& [tag, lane] : lanes_) {
    fullest_last.emplace_back(lane.open_bytes + lane.small_bytes, tag);
  }
  std::sort(fullest_last.begin(), fullest_last.end());
  while (open_bytes > most_open_bytes_ / 2) {
    const auto [bytes, tag] = fullest_last.back();
    fullest_last.pop_back();
    open_bytes -= bytes;
    close_lane(tag, lanes_.at(tag), done);
    lanes_.erase(tag);
  }
}

}  // namespace hipotool::inline v0::rewriting
