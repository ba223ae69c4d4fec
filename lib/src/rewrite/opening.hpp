#pragma once
// The first parallel step of a rewrite: input records are read and decoded, or taken over as they
// are stored.

#include "hipotool/digest.hpp"
#include "hipotool/rewrite.hpp"
#include "hipotool/transcode.hpp"

#include "pipeline/ordered_pipeline.hpp"
#include "pipeline/recycler.hpp"
#include "rewrite/bank_editing.hpp"
#include "rewrite/copying.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hipotool::inline v0::rewriting {

// Whether an Error on reading or decoding a record is the record's fault. A codec that this build
// lacks is not.
[[nodiscard]] bool is_bad_record(const RecordHeader& header, const Error& error);

// One input record, or several small ones that are decoded as one.
struct InputRecords {
  const FileReader* input = nullptr;
  std::size_t first = 0;
  std::size_t count = 1;
  std::uint64_t position = 0;  // of the first event, over all inputs
  bool alone = false;          // neither neighbour has the same user words
  // Of a stream: what `input` is, which holds the bytes of these records and no others.
  std::shared_ptr<const FileReader> window{};
  // Of a single record of a file: its bytes, where they were read beforehand. Whoever opens the
  // item takes them out of it.
  std::shared_ptr<StoredRecord> read_before{};

  [[nodiscard]] std::span<const RecordEntry> entries() const {
    return input->records().subspan(first, count);
  }
};

// Splits inputs into such items, in order. What it says of a record does not depend on whether it
// comes from a file or a stream, nor on any record but its neighbours. One thread, but for
// abandon().
class InputSequence {
 public:
  // Called with each record of a stream before it is handed out: throws what forbids that.
  using Admit = std::function<void(const FileReader& window)>;

  InputSequence(std::span<const FileReader* const> inputs, std::uint64_t target_record_bytes,
                Admit admit)
      : inputs_(inputs), target_record_bytes_(target_record_bytes), admit_(std::move(admit)) {}

  [[nodiscard]] std::optional<InputRecords> next();
  // Reads streams to their end, though nobody wants their records: whether they are complete shows
  // there.
  void drain() const;
  // Any thread: next() does not wait for a stream any longer.
  void abandon() const noexcept;

 private:
  // The record that comes next, over all inputs; null at the end. `glance`: a stream that fails
  // shows it later.
  enum class Look : std::uint8_t { use, glance };
  [[nodiscard]] const RecordEntry* ahead(Look look);
  [[nodiscard]] InputRecords take_from_stream(const FileReader& input);
  [[nodiscard]] bool is_joinable(const RecordEntry& entry, const RecordEntry& other) const;

  std::span<const FileReader* const> inputs_;
  std::uint64_t target_record_bytes_;
  Admit admit_;
  std::size_t at_input_ = 0;
  std::size_t at_record_ = 0;
  std::uint64_t position_ = 0;
  std::optional<UserWords> words_before_{};
};

// Hands out a sequence's items, and again those that were begun and not finished. next() and
// finish_first() may be called by two threads at once.
class RepeatableSequence {
 public:
  explicit RepeatableSequence(InputSequence& sequence) : sequence_(&sequence) {}

  [[nodiscard]] std::optional<InputRecords> next();
  // The oldest of those that were begun; in order.
  void finish_first();
  // From the oldest one that was not finished.
  void begin_again();

 private:
  InputSequence* sequence_;
  std::mutex mutex_;
  std::deque<InputRecords> begun_;
  std::size_t handed_out_ = 0;  // of them
};

// Memory that an item takes while it is under way.
[[nodiscard]] std::uint64_t cost_of(const InputRecords& item);

// An input record, or joined ones, after this step.
struct OpenedRecord {
  // Null where the record is copied, unless it may have to be taken apart after all.
  std::shared_ptr<const Record> record{};
  std::shared_ptr<EncodedRecord> copied{};  // null where it is not
  pipeline::Ticket ticket{};                // of a copied record; the other one holds its own
  Compression compression{};                // that the events are to be stored with
  std::vector<EventHash> hashes{};          // of the events chosen
  // With a selector, of a decoded record: the events that it chooses.
  std::optional<std::vector<bool>> chosen{};
  std::vector<std::uint32_t> old_tags{};  // with a tagger, of a decoded record: of all its events
  std::uint64_t streams_inflated = 0;
  bool passed_over = false;  // none is; then there is neither record nor copy
  std::uint64_t tag_mismatches = 0;
  // Nullopt: per-chunk and not opened.
  std::optional<std::map<std::uint32_t, std::uint64_t>> events_by_tag{};
  std::map<Oddity, std::uint64_t> discarded{};
  EditedEvents edited{};
  std::uint64_t events_without_banks = 0;  // left out
  bool altered = false;                    // what is stored is no longer what is to be written
  std::optional<DroppedRecord> dropped{};  // then there is neither record nor copy
  std::uint64_t records = 1;
  std::uint64_t events = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
};

// Scratch memory of one thread.
struct OpenerScratch {
  CodecContext context{};
  StoredRecord stored{};
  std::vector<StoredRecord> joined{};
  RecordDirectory directory{};
  Record narrow{};                         // what a selector needs to see
  std::optional<RecordEditing> editing{};  // with an editor
  SplitEdit split_edit{};                  // of the record at hand
  Buffer canonical{};
};

// Thread-safe, with a scratch for each thread.
class RecordOpener {
 public:
  // All arguments must outlive the opener.
  RecordOpener(const CopyPolicy& policy, const RewriteOptions& options,
               pipeline::Recycler<EncodedRecord>& encoded)
      : policy_(policy), options_(options), encoded_(encoded) {}

  // Errors carry path, record and offset. With skip_bad a record that does not decode comes back as
  // dropped. OverBudget where the context of `scratch` has a limit.
  [[nodiscard]] std::vector<OpenedRecord> open(const InputRecords& item,
                                               const pipeline::Ticket& ticket,
                                               OpenerScratch& scratch);
  // Reads what open() would read first, if that is one record of at most `most_bytes`; any one
  // thread, which needs no scratch. What fails here fails again in open(), which tells.
  void read_ahead(InputRecords& item, std::uint64_t most_bytes) noexcept;
  // Frees what waits to be used again.
  void release() {
    records_.release();
    read_before_.release();
  }

 private:
  OpenedRecord open_joined(const InputRecords& item, const pipeline::Ticket& ticket,
                           OpenerScratch& scratch);
  // Of `one` record.
  OpenedRecord open_one(const InputRecords& one, const pipeline::Ticket& ticket,
                        OpenerScratch& scratch);
  OpenedRecord open_stored(const InputRecords& one, const pipeline::Ticket& ticket,
                           OpenerScratch& scratch, std::optional<std::vector<bool>> chosen);
  OpenedRecord open_chosen(const InputRecords& one, const pipeline::Ticket& ticket,
                           OpenerScratch& scratch);
  void apply_tags(const FileReader& input, Record& record, OpenedRecord& opened) const;
  void forget_word(Record& record) const;
  void choose(const FileReader& input, const Record& record, std::uint64_t position,
              OpenedRecord& opened) const;
  void fetch(const FileReader& input, std::size_t index, OpenerScratch& scratch) const;
  bool edit(const FileReader& input, const RecordDirectory* directory, Record& record,
            OpenerScratch& scratch, OpenedRecord& opened) const;
  void leave_out_empty(const Record& record, OpenedRecord& opened) const;
  [[nodiscard]] Compression output_compression(const RecordDirectory& directory,
                                               CodecId codec) const;
  void describe(Record& record, OpenerScratch& scratch, OpenedRecord& opened) const;
  void require_room_to_encode(const Record& record, OpenerScratch& scratch) const;
  void discard_oddities(Record& record, OpenedRecord& opened) const;
  std::shared_ptr<EncodedRecord> take_over(StoredRecord& stored);

  const CopyPolicy& policy_;
  const RewriteOptions& options_;
  pipeline::Recycler<EncodedRecord>& encoded_;
  pipeline::Recycler<Record> records_;
  pipeline::Recycler<StoredRecord> read_before_;
};

}  // namespace hipotool::inline v0::rewriting
