#pragma once
// The files that a rewrite appends its records to, one or several. One thread at a time.

#include "hipotool/digest.hpp"
#include "hipotool/event_batch.hpp"
#include "hipotool/event_counts.hpp"
#include "hipotool/rewrite.hpp"
#include "hipotool/writer.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace hipotool::inline v0::rewriting {

// Events by tag, where they are known.
using TagCounts = std::optional<EventCounts<std::uint32_t>>;
[[nodiscard]] TagCounts tags_of(const EventBatch& batch);

class Outputs {
 public:
  // Either one file, which is the caller's, or as `splitting` says; then `make` makes them.
  Outputs(ByteSink& target, std::span<const DictionaryEvent> dictionary, const FileHeader& like);
  Outputs(const Splitting& splitting, const TargetMaker& make,
          std::span<const DictionaryEvent> dictionary, const FileHeader& like);

  // Appends a record whose events have these hashes and tags to the file with the tag or number
  // `output`; if their bytes decide where files end, to the file that its turn is.
  void append(std::uint64_t output, EncodedRecord& record, std::span<const EventHash> hashes,
              const TagCounts& tags);
  // Completes all files and returns the bytes of all.
  std::uint64_t finish();
  // After that: those that were made here.
  [[nodiscard]] std::vector<WrittenOutput> take();

 private:
  struct Output {
    std::unique_ptr<AtomicFile> own{};  // null: the caller's
    std::unique_ptr<FileWriter> writer{};
    DigestBuilder digest{};
    TagCounts tags{std::in_place};
    WriteSummary written{};
  };

  Output& open(std::uint64_t key);
  void complete(Output& output);

  Splitting splitting_{};
  TargetMaker make_{};
  std::span<const DictionaryEvent> dictionary_;
  FileHeader like_;
  std::map<std::uint64_t, Output> outputs_;
  std::uint64_t number_ = 0;  // of the last file, where files are numbered
};

}  // namespace hipotool::inline v0::rewriting
