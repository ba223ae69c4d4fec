#include "hipotool/rewrite.hpp"
#include "hipotool/transcode.hpp"

#include "file/thinning.hpp"
#include "rewrite/bad_record.hpp"
#include "rewrite/bank_editing.hpp"
#include "rewrite/cutting.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace hipotool {
inline namespace v0 {
namespace {

std::vector<bool> events_with_banks(const Record& record) {
  std::vector<bool> holds(record.event_count());
  for (const BankBlock& block : record.blocks()) {
    for (const BankOccurrence& occurrence : block.occurrences) {
      holds[occurrence.event] = true;
    }
  }
  return holds;
}

// A record and what it is encoded to.
constexpr std::uint64_t kSamplerShares = 2;

// Does to some records what a rewrite would do to all. Serial.
class Sampler {
 public:
  // The sample is that `share` of the inputs.
  Sampler(const RewriteOptions& options, double share)
      : options_(options),
        thinner_(options.selector, share),
        context_(options.memory_bytes / kSamplerShares) {}

  // Records come from `input` until end().
  void begin(const FileReader& input) {
    input_ = &input;
    cutter_.emplace(rewriting::CutLimits{options_.record_bytes, options_.record_events});
    if (options_.editor != nullptr) {
      edited_.emplace(options_.editor->dictionary_events(input));
      editing_.emplace(*options_.editor, *edited_);
    }
  }

  // `position` is that of the record's first event, over all inputs.
  void add(std::size_t index, std::uint64_t position) {
    const auto record = std::make_shared<Record>();
    try {
      input_->read_record(index, Projection::everything(), context_, *record);
    } catch (const OverBudget& error) {
      throw OverBudget(kSamplerShares * error.needed_bytes(), options_.memory_bytes,
                       error.context());
    } catch (const Error& error) {
      if (!options_.skip_bad || !rewriting::is_bad_record(input_->records()[index].header, error)) {
        throw;
      }
      return;
    }
    declared_bytes_ += input_->records()[index].header.declared_raw_bytes();
    const std::vector<bool> chosen = choose(*record, position);
    if (editing_) {
      edit(index, *record);
    }
    std::vector<rewriting::CutBatch> done;
    for (const EventRun& run : left_over(record, chosen)) {
      cutter_->add(run, options_.compression, done);
    }
    encode_all(done);
  }

  void end() {
    std::vector<rewriting::CutBatch> rest;
    cutter_->close(rest);
    encode_all(rest);
  }

  [[nodiscard]] std::uint64_t declared_bytes() const noexcept { return declared_bytes_; }
  [[nodiscard]] const SizeEstimate& estimate() const noexcept { return estimate_; }

 private:
  [[nodiscard]] std::vector<bool> choose(const Record& record, std::uint64_t position) const {
    std::vector<bool> chosen(record.event_count(), true);
    for (std::uint32_t event = 0; options_.selector != nullptr && event < record.event_count();
         ++event) {
      chosen[event] = options_.selector->chooses(*input_, record, event, position + event);
    }
    return chosen;
  }

  void edit(std::size_t index, Record& record) {
    const bool is_split = input_->records()[index].header.layout != LayoutId::per_chunk;
    if (is_split) {
      input_->read_directory(index, context_, stored_, directory_);
    }
    editing_->edit(*input_, is_split ? &directory_ : nullptr, record);
  }

  std::vector<EventRun> left_over(const std::shared_ptr<const Record>& record,
                                  const std::vector<bool>& chosen) {
    const bool drops_empty = options_.editor != nullptr && options_.editor->drops_empty();
    const std::vector<bool> holds = drops_empty ? events_with_banks(*record) : std::vector<bool>();
    std::vector<EventRun> runs;
    for (std::uint32_t event = 0; event < record->event_count(); ++event) {
      const std::uint32_t tag = record->tag(event);
      const bool stays = !drops_empty || holds[event] || options_.editor->is_special(tag);
      if (chosen[event] && stays && thinner_.takes(tag)) {
        runs.push_back({record, event, 1});
      }
    }
    return runs;
  }

  void encode_all(const std::vector<rewriting::CutBatch>& batches) {
    for (const auto& [events, compression] : batches) {
      if (compression.layout == LayoutId::per_chunk) {
        encode_one(events, compression);
        continue;
      }
      for (const BatchPart& part : partition_for_split(events)) {
        const Compression fallback{compression.codec, LayoutId::per_chunk, compression.level};
        encode_one(part.batch, part.kinds != 0 ? fallback : compression);
      }
    }
  }

  void encode_one(const EventBatch& batch, const Compression& compression) {
    encode(batch, compression, edited_ ? *edited_ : input_->dictionary(), context_, encoded_);
    estimate_.sampled_raw_bytes += batch.raw_bytes();
    estimate_.sampled_stored_bytes += encoded_.header.record_bytes();
  }

  const RewriteOptions& options_;
  file::Thinner thinner_;
  const FileReader* input_ = nullptr;
  std::optional<rewriting::Cutter> cutter_;
  std::optional<Dictionary> edited_;
  std::optional<rewriting::RecordEditing> editing_;
  CodecContext context_;
  StoredRecord stored_;
  RecordDirectory directory_;
  EncodedRecord encoded_;
  std::uint64_t declared_bytes_ = 0;
  SizeEstimate estimate_;
};

// Raw bytes that every step-th record of the inputs claims to have.
std::uint64_t declared_bytes(std::span<const FileReader* const> inputs, std::uint64_t step) {
  std::uint64_t bytes = 0;
  std::uint64_t number = 0;
  for (const FileReader* input : inputs) {
    for (const RecordEntry& entry : input->records()) {
      bytes += number++ % step == 0 ? entry.header.declared_raw_bytes() : 0;
    }
  }
  return bytes;
}

double ratio_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

SizeEstimate estimate_size(std::span<const FileReader* const> inputs, const RewriteOptions& options,
                           std::uint64_t sample_raw_bytes) {
  // Every step-th record, so that the sample covers the whole of the inputs evenly.
  const std::uint64_t declared = declared_bytes(inputs, 1);
  const std::uint64_t sample = std::max<std::uint64_t>(sample_raw_bytes, 1);
  const std::uint64_t step = std::max<std::uint64_t>((declared + sample - 1) / sample, 1);
  Sampler sampler(options, ratio_of(declared_bytes(inputs, step), declared));
  std::uint64_t overhead = 0;
  std::uint64_t number = 0;
  std::uint64_t position = 0;
  for (const FileReader* input : inputs) {
    for (const DictionaryEvent& event : options.editor != nullptr
                                            ? options.editor->dictionary_events(*input)
                                            : input->dictionary_events()) {
      overhead += event.size() + 4;
    }
    sampler.begin(*input);
    for (std::size_t index = 0; index < input->records().size(); ++index) {
      if (number++ % step == 0) {
        sampler.add(index, position);
      }
      position += input->records()[index].header.event_count;
    }
    sampler.end();
  }
  SizeEstimate estimate = sampler.estimate();
  if (sampler.declared_bytes() != 0) {
    estimate.predicted_file_bytes = static_cast<std::uint64_t>(
        ratio_of(estimate.sampled_stored_bytes, sampler.declared_bytes()) *
        static_cast<double>(declared));
  }
  estimate.predicted_file_bytes += overhead;
  return estimate;
}

}  // namespace v0
}  // namespace hipotool
