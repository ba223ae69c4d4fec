#pragma once
// A parallel pass from files to one file or several: the machinery behind recook, merge and
// tag-filter. Records are decoded by several threads, cut anew by a left fold in input order,
// encoded and verified by the same threads, and appended in order. The bytes written depend on
// input and options, never on threads.

#include "hipotool/atomic_file.hpp"
#include "hipotool/bank_edit.hpp"
#include "hipotool/compression.hpp"
#include "hipotool/digest.hpp"
#include "hipotool/event_counts.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/selection.hpp"
#include "hipotool/splitting.hpp"
#include "hipotool/tagging.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace hipotool {
inline namespace v0 {

// `record`: every record about to be written is decoded again and compared with its source.
// `file`: the finished file is read again too, before it is committed. `none`: neither, and no
// digest.
enum class Verify { none, record, file };

struct RewriteProgress {
  std::uint64_t records_done = 0;  // input records
  std::uint64_t records_total = 0;
  std::uint64_t stored_bytes_done = 0;  // input
  std::uint64_t stored_bytes_total = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t bytes_written = 0;
};

struct RewriteOptions {
  Compression compression{};
  // Each record is stored as those were that its events come from, whatever `compression` says.
  bool keep_compression = false;
  // Raw bytes of an output record, at most; 0: default_record_bytes() of its layout.
  std::uint64_t record_bytes = 32U << 20;
  std::uint32_t record_events = 100'000;  // events of an output record, at most
  bool reencode = false;  // never copy stored bytes, even where nothing would change
  Verify verify = Verify::record;
  std::uint8_t discard = 0;    // bits of Oddity to leave out and count
  bool strict_layout = false;  // Error{not_representable} instead of falling back to per-chunk
  bool accept_cut = false;     // go on where the index is cut, or records follow the trailer
  bool table_types = false;    // give every table the type byte 11, which Java insists on
  bool skip_bad = false;       // drop records that do not decode, and report them
  // The events to write; null: all. Bound to the same inputs, and outlives the call.
  const EventSelector* selector = nullptr;
  // What becomes of their banks; null: they stay. Bound to the same inputs, and outlives the call;
  // the dictionary written is made of its dictionary_events().
  const BankEditor* editor = nullptr;
  // New tags, before the selector looks at them; null: tags stay. As for the selector.
  const EventTagger* tagger = nullptr;
  // The first user word of each record becomes the tag of its events; no record mixes tags. Events
  // of one tag keep their order, others may change places.
  bool record_words_from_tags = false;
  Splitting splitting{};  // for rewrite_split() alone
  unsigned threads = 1;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::stop_token stop{};
  // Called in the calling thread after each record written. May be empty.
  std::function<void(const RewriteProgress&)> progress{};
  // Called in a worker before each decode and encode; lets a test disturb the timing. May be empty.
  std::function<void()> worker_hook{};
};

// A record that RewriteOptions::skip_bad dropped; its events are lost.
struct DroppedRecord {
  std::string path;
  std::uint64_t record = 0;
  Gap gap{};
};

struct RewriteSummary {
  std::uint64_t records_in = 0;
  std::uint64_t records_out = 0;
  std::uint64_t records_copied = 0;  // stored bytes taken over unopened
  std::uint64_t records_fallen_back =
      0;  // per-chunk records that the layout asked for could not be
  std::uint64_t records_passed_over = 0;  // of the input: none of their events was wanted
  std::uint64_t streams_inflated = 0;     // of the input, directories not counted
  std::uint64_t events_in = 0;
  std::uint64_t events = 0;  // written
  // With a selector: events looked at whose tag is not the first user word of their record.
  std::uint64_t tag_mismatches = 0;
  // With an editor, of the events written: those that lost a bank, or columns of one, by the key
  // that it has in the input; and those left out since they would hold no bank.
  std::map<BankKey, std::uint64_t> events_without_bank;
  std::map<BankKey, std::uint64_t> events_with_narrowed_bank;
  std::uint64_t events_without_banks = 0;
  // With a tagger: events written that have another tag than they had, and of them those whose tag
  // is special now.
  std::uint64_t events_retagged = 0;
  std::uint64_t events_made_special = 0;
  std::uint64_t events_fallen_back = 0;
  std::map<Oddity, std::uint64_t> fallback_causes;  // events by cause
  std::map<Oddity, std::uint64_t> discarded;        // events by what was left out
  // Nullopt where per-chunk records were copied without being opened (Verify::none).
  std::optional<EventCounts<std::uint32_t>> events_by_tag;
  std::uint64_t stored_bytes_in = 0;  // whole input files
  std::uint64_t file_bytes_out = 0;
  std::uint64_t raw_bytes = 0;         // per-chunk, codec none, index included
  std::optional<Digest> digest;        // of the events written; none with Verify::none
  std::vector<DroppedRecord> dropped;  // in input order
  unsigned threads = 1;
};

// What running would take, found from headers alone.
struct RewritePlan {
  unsigned threads = 1;  // after reduction to the memory allowed
  std::uint64_t predicted_peak_bytes = 0;
  std::uint64_t memory_needed_bytes = 0;  // the least that one thread needs
  std::uint64_t declared_raw_bytes = 0;
  std::uint64_t records_at_least = 0;    // a lower bound of output records
  std::uint64_t largest_input_cost = 0;  // memory of the largest input record, decoded
  // What reading one input record may take; there is room for that in each thread.
  std::uint64_t most_record_bytes = 0;
  std::uint64_t output_cost = 0;  // memory of a full output record's events
  std::uint64_t open_cost = 0;    // memory of events that wait for their record to fill
  // Of the next input record, read while all threads are at work; 0 where there is no room for it,
  // or no processor besides those of the threads.
  std::uint64_t read_ahead_bytes = 0;
};

// Of a stream nothing is known beforehand: its records are taken to be no larger than those of the
// output; larger ones that do not fit are an Error when they come.
// Throws Error{over_budget} with the memory that would do, and Error{not_representable} naming
// the record size where the output would need more records than an index can hold.
[[nodiscard]] RewritePlan plan_rewrite(std::span<const FileReader* const> inputs,
                                       const RewriteOptions& options);

// Reads all `inputs` in order and writes `target`, with `dictionary` as its dictionary record; does
// not commit. Error of the first failure in input order; `target` is then to be dropped. Inputs
// that are streams are read to their end, and give the same bytes as the same files would.
// Verify::file needs an AtomicFile.
RewriteSummary rewrite(std::span<const FileReader* const> inputs,
                       std::span<const DictionaryEvent> dictionary, ByteSink& target,
                       const RewriteOptions& options);

struct SplitSummary {
  // Of all files together. The ordered digest is that of the events in the order in which they were
  // written, which for files by tag is no order of theirs.
  RewriteSummary total{};
  std::vector<WrittenOutput> outputs{};  // by key
};

// The same with RewriteOptions::splitting, which has something set. Each output has the dictionary.
// By number there is at least one output; by tag there is none where there is no event.
SplitSummary rewrite_split(std::span<const FileReader* const> inputs,
                           std::span<const DictionaryEvent> dictionary, const TargetMaker& make,
                           const RewriteOptions& options);

struct SizeEstimate {
  std::uint64_t sampled_raw_bytes = 0;
  std::uint64_t sampled_stored_bytes = 0;
  std::uint64_t predicted_file_bytes = 0;
};

// Encodes a few records from the whole range of the inputs and extrapolates the size of the output.
[[nodiscard]] SizeEstimate estimate_size(std::span<const FileReader* const> inputs,
                                         const RewriteOptions& options,
                                         std::uint64_t sample_raw_bytes = 64U << 20);

}  // namespace v0
}  // namespace hipotool
