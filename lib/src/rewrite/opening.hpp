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
#include "rewrite/input_sequence.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace hipotool::inline v0::rewriting {

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
  std::optional<EventCounts<std::uint32_t>> events_by_tag{};
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
