#pragma once
// The way of events into the records of one file or several: each event has a lane, and in each
// lane a Cutter makes records of what comes along it. By tag there is a lane for each tag, else
// there is one. A left fold in input order, serial; which records come out, and in which order,
// depends on events and options alone.
//
// Several lanes are open for a long time, those of rare tags above all. So an event does not keep
// the record alive that it was read with, unless its lane takes at least half of that; it is
// copied. Where what waits takes too much, the fullest lanes are closed with what they have.

#include "hipotool/dictionary.hpp"
#include "hipotool/digest.hpp"
#include "hipotool/rewrite.hpp"
#include "hipotool/transcode.hpp"

#include "rewrite/cutting.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

namespace hipotool::inline v0::rewriting {

// Whether events with different tags take different ways.
[[nodiscard]] inline bool parts_tags(const RewriteOptions& options) noexcept {
  return options.splitting.by_tag || options.record_words_from_tags;
}

// A batch on its way.
struct RoutedBatch {
  CutBatch cut{};
  std::vector<EventHash> hashes{};  // of its events, or none where none are made
  std::uint64_t output = 0;         // the tag or number of its file
};

class Lanes {
 public:
  // `most_open_bytes`: memory that events may take which wait in several lanes. Both options and
  // dictionary must outlive the lanes.
  Lanes(const RewriteOptions& options, const Dictionary& dictionary, std::uint64_t most_open_bytes);

  // Events of one record, in order, with their hashes or none; appends what they complete to
  // `done`.
  void add(std::span<const EventRun> runs, std::span<const EventHash> hashes,
           const Compression& compression, std::vector<RoutedBatch>& done);
  // Makes way for a record that is to be written as it is stored, of `events` events that all have
  // `tag` where that matters; its output, or nullopt if it does not fit into one.
  [[nodiscard]] std::optional<std::uint64_t> make_way(std::uint32_t tag, std::uint64_t events,
                                                      std::vector<RoutedBatch>& done);
  // Closes all lanes.
  void close(std::vector<RoutedBatch>& done);

 private:
  struct Lane {
    explicit Lane(CutLimits limits) : cutter(limits) {}
    Cutter cutter;
    std::vector<EventHash> hashes{};  // of all that waits here
    std::uint64_t open_bytes = 0;     // memory of what waits in the cutter
    // Copies from several records, to become one before they are cut: each is a record of its own,
    // with all that this takes.
    EventBatch small{};
    Compression small_compression{};
    std::uint64_t small_bytes = 0;  // their memory
  };

  // Of the events at hand, those of one lane.
  struct Share {
    EventBatch events{};
    std::shared_ptr<const Record> copy{};  // of them; null where they stay where they are
    std::uint32_t taken = 0;               // of the copy, by its lane
  };
  // What goes along a lane: events where they are, or copies.
  struct Piece {
    EventRun run{};
    bool copied = false;
    const Compression& compression;
  };

  void add_all(std::uint32_t tag, const Piece& piece, std::span<const EventHash>& hashes,
               std::vector<RoutedBatch>& done);
  void add_in_line(std::span<const EventRun> runs, std::span<const EventHash> hashes,
                   const Compression& compression, std::vector<RoutedBatch>& done);
  void add_by_tag(std::span<const EventRun> runs, std::span<const EventHash> hashes,
                  const Compression& compression, std::vector<RoutedBatch>& done);
  void copy_small(std::map<std::uint32_t, Share>& shares, std::span<const EventRun> runs);
  void add_shares(std::map<std::uint32_t, Share>& shares, std::span<const EventRun> runs,
                  std::span<const EventHash>& hashes, const Compression& compression,
                  std::vector<RoutedBatch>& done);
  Lane& lane_of(std::uint32_t tag, std::vector<RoutedBatch>& done);
  void add_to(std::uint32_t tag, const Piece& piece, std::span<const EventHash> hashes,
              std::vector<RoutedBatch>& done);
  void join_small(std::uint32_t tag, Lane& lane, std::vector<RoutedBatch>& done);
  void count(std::uint64_t events, std::vector<RoutedBatch>& done);
  void route(std::uint32_t tag, Lane& lane, std::vector<CutBatch>&& cut,
             std::vector<RoutedBatch>& done);
  void require_room();
  void close_lane(std::uint32_t tag, Lane& lane, std::vector<RoutedBatch>& done);
  std::shared_ptr<const Record> copy_of(const EventBatch& events);
  void keep_within_memory(std::vector<RoutedBatch>& done);

  const RewriteOptions& options_;
  const Dictionary& dictionary_;
  std::uint64_t most_open_bytes_;
  bool by_tag_;
  std::map<std::uint32_t, Lane> lanes_;
  std::unordered_set<std::uint32_t> outputs_;  // tags seen, where each has a file
  std::uint64_t output_ = 0;                   // number of the file that events go to
  std::uint64_t output_events_ = 0;            // in it so far
  std::uint64_t output_records_ = 0;
  CodecContext context_;
  EncodedRecord image_;
  RecordDirectory directory_;
};

}  // namespace hipotool::inline v0::rewriting
