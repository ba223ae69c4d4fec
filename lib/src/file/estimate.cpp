#include "hipotool/rewrite.hpp"
#include "hipotool/transcode.hpp"

#include "file/bank_editing.hpp"
#include "file/cutting.hpp"
#include "file/opening.hpp"

#include <algorithm>

namespace hipotool {
inline namespace v0 {
namespace {

// The events of a record that would be written, but for thinning and empty events.
std::vector<EventRun> chosen_runs(const EventSelector* selector, const FileReader& input,
                                  std::uint64_t position,
                                  const std::shared_ptr<const Record>& record) {
  if (selector == nullptr) {
    return {{record, 0, record->event_count()}};
  }
  std::vector<EventRun> runs;
  for (std::uint32_t event = 0; event < record->event_count(); ++event) {
    if (selector->chooses(input, *record, event, position + event)) {
      runs.push_back({record, event, 1});
    }
  }
  return runs;
}

class Sampler {
 public:
  void encode_all(const std::vector<file::CutBatch>& batches, const Dictionary& dictionary) {
    for (const auto& [events, compression] : batches) {
      if (compression.layout == LayoutId::per_chunk) {
        encode_one(events, compression, dictionary);
        continue;
      }
      for (const BatchPart& part : partition_for_split(events)) {
        const Compression fallback{compression.codec, LayoutId::per_chunk, compression.level};
        encode_one(part.batch, part.kinds != 0 ? fallback : compression, dictionary);
      }
    }
  }

  CodecContext context;
  StoredRecord stored;
  RecordDirectory directory;
  SizeEstimate estimate;

 private:
  void encode_one(const EventBatch& batch, const Compression& compression,
                  const Dictionary& dictionary) {
    encode(batch, compression, dictionary, context, encoded_);
    estimate.sampled_raw_bytes += batch.raw_bytes();
    estimate.sampled_stored_bytes += encoded_.header.record_bytes();
  }

  EncodedRecord encoded_;
};

}  // namespace

SizeEstimate estimate_size(std::span<const FileReader* const> inputs, const RewriteOptions& options,
                           std::uint64_t sample_raw_bytes) {
  std::uint64_t declared = 0;
  std::uint64_t overhead = 0;
  for (const FileReader* input : inputs) {
    for (const RecordEntry& entry : input->records()) {
      declared += entry.header.declared_raw_bytes();
    }
    for (const DictionaryEvent& event : options.editor != nullptr
                                            ? options.editor->dictionary_events(*input)
                                            : input->dictionary_events()) {
      overhead += event.size() + 4;
    }
  }
  // Every step-th record, so that the sample covers the whole of the inputs evenly.
  const std::uint64_t sample = std::max<std::uint64_t>(sample_raw_bytes, 1);
  const std::uint64_t step = std::max<std::uint64_t>((declared + sample - 1) / sample, 1);
  Sampler sampler;
  std::uint64_t sampled_declared = 0;
  std::uint64_t number = 0;
  std::uint64_t next_position = 0;
  for (const FileReader* input : inputs) {
    file::Cutter cutter({options.record_bytes, options.record_events});
    std::optional<Dictionary> edited;
    std::optional<file::RecordEditing> editing;
    if (options.editor != nullptr) {
      edited.emplace(options.editor->dictionary_events(*input));
      editing.emplace(*options.editor, *edited);
    }
    const Dictionary& dictionary = edited ? *edited : input->dictionary();
    for (std::size_t index = 0; index < input->records().size(); ++index) {
      const std::uint64_t position = next_position;
      next_position += input->records()[index].header.event_count;
      if (number++ % step != 0) {
        continue;
      }
      const auto record = std::make_shared<Record>();
      try {
        input->read_record(index, Projection::everything(), sampler.context, *record);
      } catch (const Error& error) {
        if (!options.skip_bad || !file::is_bad_record(input->records()[index].header, error)) {
          throw;
        }
        continue;
      }
      sampled_declared += input->records()[index].header.declared_raw_bytes();
      const std::vector<EventRun> runs = chosen_runs(options.selector, *input, position, record);
      if (editing) {
        const bool is_split = input->records()[index].header.layout != LayoutId::per_chunk;
        if (is_split) {
          input->read_directory(index, sampler.context, sampler.stored, sampler.directory);
        }
        editing->edit(*input, is_split ? &sampler.directory : nullptr, *record);
      }
      std::vector<file::CutBatch> done;
      for (const EventRun& run : runs) {
        cutter.add(run, options.compression, done);
      }
      sampler.encode_all(done, dictionary);
    }
    std::vector<file::CutBatch> rest;
    cutter.close(rest);
    sampler.encode_all(rest, dictionary);
  }
  SizeEstimate estimate = sampler.estimate;
  if (sampled_declared != 0) {
    const double ratio =
        static_cast<double>(estimate.sampled_stored_bytes) / static_cast<double>(sampled_declared);
    estimate.predicted_file_bytes =
        static_cast<std::uint64_t>(ratio * static_cast<double>(declared));
  }
  estimate.predicted_file_bytes += overhead;
  return estimate;
}

}  // namespace v0
}  // namespace hipotool
