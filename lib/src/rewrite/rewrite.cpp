#include "hipotool/rewrite.hpp"

#include "hipotool/epochs.hpp"
#include "hipotool/error.hpp"
#include "hipotool/scan.hpp"
#include "hipotool/transcode.hpp"

#include "file/thinning.hpp"
#include "pipeline/ordered_pipeline.hpp"
#include "pipeline/recycler.hpp"
#include "rewrite/copying.hpp"
#include "rewrite/encoding.hpp"
#include "rewrite/input_sequence.hpp"
#include "rewrite/lanes.hpp"
#include "rewrite/opening.hpp"
#include "rewrite/outputs.hpp"
#include "rewrite/plan.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>

namespace hipotool {
inline namespace v0 {
namespace {

// What one thread keeps from record to record.
struct Worker {
  rewriting::OpenerScratch opener;
  rewriting::EncoderScratch encoder;
};

// A record that takes more than the plan says, before anything came of it.
struct LargerRecord {
  OverBudget error;
};

using OpenedRecords = std::vector<rewriting::OpenedRecord>;
using Pipeline = pipeline::OrderedPipeline<rewriting::InputRecords, OpenedRecords,
                                           rewriting::OutputBatch, rewriting::EncodedBatch>;

std::uint64_t total_records(std::span<const FileReader* const> inputs) {
  std::uint64_t records = 0;
  for (const FileReader* input : inputs) {
    records += input->records().size();
  }
  return records;
}

bool has_stream(std::span<const FileReader* const> inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const FileReader* input) { return input->is_stream(); });
}

void require_options(std::span<const FileReader* const> inputs, const RewriteOptions& options) {
  const Splitting& splitting = options.splitting;
  if ((splitting.by_tag ? 1 : 0) + (splitting.events != 0 ? 1 : 0) +
          (splitting.bytes != 0 ? 1 : 0) >
      1) {
    throw Error(ErrorCode::invalid_argument, "files end by tag, by events or by size; one of them");
  }
  require_usable(options.compression);
  if ((options.discard & ~kDiscardableOddities) != 0) {
    throw Error(ErrorCode::invalid_argument,
                "only reserved-word, trailing-bytes, short-event and record-user-header can be "
                "discarded; the other kinds are whole banks");
  }
  if (options.record_events == 0) {
    throw Error(ErrorCode::invalid_argument, "a record must be allowed at least an event");
  }
  for (const FileReader* input : inputs) {
    if (input->index() == IndexState::cut && !options.accept_cut) {
      throw Error(ErrorCode::truncated,
                  "the file was longer once: " + input->index_reason() +
                      "; events are missing, and nothing was written",
                  {.path = input->name()});
    }
    if (input->appended() && !options.accept_cut) {
      throw Error(ErrorCode::corrupt, to_string(*input->appended()) + "; nothing was written",
                  {.path = input->name(), .record_offset = input->appended()->offset});
    }
  }
}

class Rewriter {
 public:
  Rewriter(std::span<const FileReader* const> inputs,
           std::span<const DictionaryEvent> dictionary_events, rewriting::Outputs& outputs,
           const RewriteOptions& options)
      : options_(options),
        plan_(plan_rewrite(inputs, options)),
        dictionary_(dictionary_events),
        policy_(inputs, dictionary_, options),
        lanes_(options, dictionary_, plan_.open_cost),
        thinner_(options.selector),
        inputs_(inputs),
        sequence_(
            inputs, rewriting::most_record_bytes(options),
            [this](const FileReader& window) { rewriting::require_fits(plan_, options_, window); }),
        items_(sequence_),
        opener_(policy_, options, encoded_),
        encoder_(options, plan_, dictionary_, encoded_),
        outputs_(outputs) {
    summary_.events_by_tag.emplace();
    if (has_stream(inputs)) {
      return;  // nobody knows how much will come
    }
    progress_.records_total = total_records(inputs);
    for (const FileReader* input : inputs) {
      for (const RecordEntry& entry : input->records()) {
        progress_.stored_bytes_total += entry.header.record_bytes();
      }
    }
  }

  RewriteSummary run() {
    while (!run_as_planned()) {
    }
    sequence_.drain();
    for (const FileReader* input : inputs_) {
      summary_.stored_bytes_in += input->file_bytes();
      summary_.events_in += input->event_count();
    }
    summary_.file_bytes_out = outputs_.finish();
    if (options_.verify != Verify::none) {
      summary_.digest = digest_.finish();
    }
    return summary_;
  }

 private:
  // False where a record turned out to take more than its header says: the plan was changed then,
  // and what comes from this record on is still to be done.
  bool run_as_planned() {
    goes_on_ = false;
    summary_.threads = plan_.threads;
    workers_ = std::vector<Worker>(plan_.threads);
    for (Worker& worker : workers_) {
      worker.opener.context.limit(plan_.most_record_bytes);
      worker.encoder.encoding.limit(options_.memory_bytes / plan_.threads);
    }
    Pipeline::StagesType stages;
    stages.next = [this] { return is_done_ ? std::nullopt : items_.next(); };
    stages.abandon = [this] {
      if (!goes_on_) {
        sequence_.abandon();
      }
    };
    stages.cost = [growth = options_.editor == nullptr ? 1.0 : options_.editor->growth()](
                      const rewriting::InputRecords& item) {
      return static_cast<std::uint64_t>(growth * static_cast<double>(rewriting::cost_of(item)));
    };
    stages.first = [this](const rewriting::InputRecords& item, const pipeline::Ticket& ticket,
                          unsigned worker) {
      try {
        return opener_.open(item, ticket, workers_[worker].opener);
      } catch (const OverBudget& error) {
        goes_on_ = true;
        throw LargerRecord{error};
      }
    };
    if (plan_.read_ahead_bytes != 0) {
      stages.prepare = [this](rewriting::InputRecords& item) {
        opener_.read_ahead(item, plan_.read_ahead_bytes);
      };
    }
    stages.regroup = [this](OpenedRecords opened) {
      items_.finish_first();
      std::vector<rewriting::OutputBatch> batches;
      for (rewriting::OpenedRecord& record : opened) {
        regroup(std::move(record), batches);
      }
      return batches;
    };
    stages.finish = [this] {
      std::vector<rewriting::RoutedBatch> done;
      lanes_.close(done);
      return as_batches(std::move(done), nullptr);
    };
    stages.second = [this](rewriting::OutputBatch batch, unsigned worker) {
      return encoder_.encode(std::move(batch), workers_[worker].encoder);
    };
    stages.sink = [this](const rewriting::EncodedBatch& encoded) { append(encoded); };
    try {
      Pipeline(std::move(stages), {plan_.threads, rewriting::decode_budget(plan_), options_.stop,
                                   options_.worker_hook})
          .run();
      return true;
    } catch (const LargerRecord& larger) {
      plan_ = with_context(
          [&] { return larger.error.context(); },
          [&] { return rewriting::plan_for(inputs_, options_, larger.error.needed_bytes()); });
    }
    items_.begin_again();
    opener_.release();
    encoded_.release();
    return false;
  }

  // ---- serial, in order

  void regroup(rewriting::OpenedRecord opened, std::vector<rewriting::OutputBatch>& batches) {
    if (is_done_) {
      return;
    }
    const std::vector<EventRun> runs = choose_runs(opened);
    note_input(opened);
    if (opened.dropped || opened.passed_over) {
      return;
    }
    std::vector<rewriting::RoutedBatch> done;
    std::optional<std::uint64_t> file;
    if (opened.copied) {
      file = lanes_.make_way(opened.record ? opened.record->tag(0) : 0, opened.events, done);
    }
    if (!file) {
      lanes_.add(runs, opened.hashes, opened.compression, done);
    }
    // What was copied out of a record holds no ticket of its own.
    pipeline::Ticket ticket = rewriting::parts_tags(options_) || options_.selector != nullptr
                                  ? std::const_pointer_cast<Record>(opened.record)
                                  : pipeline::Ticket();
    for (rewriting::OutputBatch& batch : as_batches(std::move(done), ticket)) {
      batches.push_back(std::move(batch));
    }
    if (file) {
      batches.push_back({.routed = {{}, std::move(opened.hashes), *file},
                         .copied = std::move(opened.copied),
                         .copied_tags = std::move(opened.events_by_tag),
                         .ticket = std::move(opened.ticket)});
    }
  }

  // The events of a decoded record that are to be written; `opened` then describes only them.
  std::vector<EventRun> choose_runs(rewriting::OpenedRecord& opened) {
    if (!opened.record) {
      return {};
    }
    const Record& record = *opened.record;
    if (!opened.chosen) {
      for (std::uint32_t event = 0; event < opened.old_tags.size(); ++event) {
        note_tag(opened, event);
      }
      count_edited(opened.edited, [](std::uint32_t) { return true; });
      return {{opened.record, 0, record.event_count()}};
    }
    std::vector<bool> taken(record.event_count());
    std::vector<EventRun> runs;
    std::vector<EventHash> hashes;
    auto hash = opened.hashes.begin();
    opened.events = 0;
    opened.raw_bytes = 0;
    opened.events_by_tag.emplace();
    for (std::uint32_t event = 0; event < record.event_count(); ++event) {
      if (!(*opened.chosen)[event]) {
        continue;
      }
      const bool takes = thinner_.takes(record.tag(event));
      if (hash != opened.hashes.end()) {
        if (takes) {
          hashes.push_back(*hash);
        }
        ++hash;
      }
      if (!takes) {
        continue;
      }
      taken[event] = true;
      note_tag(opened, event);
      ++opened.events;
      opened.raw_bytes += std::uint64_t{4} + record.event_bytes(event);
      opened.events_by_tag->add(record.tag(event), 1);
      if (!runs.empty() && runs.back().first + runs.back().count == event) {
        ++runs.back().count;
      } else {
        runs.push_back({opened.record, event, 1});
      }
    }
    opened.hashes = std::move(hashes);
    count_edited(opened.edited, [&](std::uint32_t event) { return taken[event]; });
    is_done_ = thinner_.is_done();
    return runs;
  }

  // `is_written(event)` says which count.
  template <typename IsWritten>
  void count_edited(const rewriting::EditedEvents& edited, const IsWritten& is_written) {
    const auto count = [&](const auto& events_by_bank, std::map<BankKey, std::uint64_t>& counts) {
      for (const auto& [key, events] : events_by_bank) {
        const auto written = std::count_if(events.begin(), events.end(), is_written);
        counts[key] += static_cast<std::uint64_t>(written);
      }
    };
    count(edited.dropped, summary_.events_without_bank);
    count(edited.narrowed, summary_.events_with_narrowed_bank);
  }

  // Of an event that is written.
  void note_tag(const rewriting::OpenedRecord& opened, std::uint32_t event) {
    if (!opened.old_tags.empty() && opened.record->tag(event) != opened.old_tags[event]) {
      ++summary_.events_retagged;
      summary_.events_made_special +=
          options_.tagger->is_special(opened.record->tag(event)) ? 1U : 0U;
    }
  }

  std::vector<rewriting::OutputBatch> as_batches(std::vector<rewriting::RoutedBatch> done,
                                                 const pipeline::Ticket& ticket) {
    std::vector<rewriting::OutputBatch> batches;
    batches.reserve(done.size());
    for (rewriting::RoutedBatch& batch : done) {
      EpochPart epoch = epochs_.join(batch.cut.events.user_words, batch.cut.compression);
      batches.push_back({.routed = std::move(batch), .epoch = std::move(epoch), .ticket = ticket});
    }
    return batches;
  }

  void note_input(const rewriting::OpenedRecord& opened) {
    const std::lock_guard lock(progress_mutex_);
    progress_.stored_bytes_done += opened.stored_bytes;
    if (opened.dropped) {
      summary_.dropped.push_back(*opened.dropped);
      return;
    }
    summary_.records_in += opened.records;
    summary_.streams_inflated += opened.streams_inflated;
    summary_.tag_mismatches += opened.tag_mismatches;
    summary_.events_without_banks += opened.events_without_banks;
    if (opened.passed_over) {
      summary_.records_passed_over += opened.records;
      return;
    }
    summary_.events += opened.events;
    summary_.raw_bytes += opened.raw_bytes;
    for (const auto& [kind, count] : opened.discarded) {
      summary_.discarded[kind] += count;
    }
    if (!opened.events_by_tag) {
      summary_.events_by_tag.reset();
    } else if (summary_.events_by_tag) {
      summary_.events_by_tag->add(*opened.events_by_tag);
    }
  }

  // ---- in the calling thread, in order

  void append(const rewriting::EncodedBatch& encoded) {
    std::span<const EventHash> hashes = encoded.hashes;
    for (const rewriting::EncodedPart& part : encoded.parts) {
      const std::size_t hashed =
          std::min<std::size_t>(part.record->header.event_count, hashes.size());
      outputs_.append(encoded.file, *part.record, hashes.first(hashed), part.tags);
      digest_.add(hashes.first(hashed));
      hashes = hashes.subspan(hashed);
      ++summary_.records_out;
      summary_.records_copied += part.copied ? 1 : 0;
      if (part.fallen_back) {
        ++summary_.records_fallen_back;
        summary_.events_fallen_back += part.record->header.event_count;
      }
      progress_bytes_written_ += part.record->header.record_bytes();
    }
    for (const auto& [kind, count] : encoded.causes) {
      summary_.fallback_causes[kind] += count;
    }
    if (options_.progress) {
      options_.progress(current_progress());
    }
  }

  RewriteProgress current_progress() {
    const std::lock_guard lock(progress_mutex_);
    RewriteProgress progress = progress_;
    progress.records_done = summary_.records_in;
    progress.raw_bytes = summary_.raw_bytes;
    progress.bytes_written = progress_bytes_written_;
    return progress;
  }

  const RewriteOptions& options_;
  RewritePlan plan_;
  Dictionary dictionary_;
  rewriting::CopyPolicy policy_;
  rewriting::Lanes lanes_;
  Epochs epochs_;
  file::Thinner thinner_;
  std::atomic<bool> is_done_ = false;  // nothing more will be chosen
  std::atomic<bool> goes_on_ = false;  // after this pass, so that streams are still wanted
  pipeline::Recycler<EncodedRecord> encoded_;
  std::span<const FileReader* const> inputs_;
  rewriting::InputSequence sequence_;
  rewriting::RepeatableSequence items_;
  rewriting::RecordOpener opener_;
  rewriting::BatchEncoder encoder_;
  std::vector<Worker> workers_;
  rewriting::Outputs& outputs_;
  DigestBuilder digest_;
  std::mutex progress_mutex_;  // what the serial step counts and the calling thread shows
  RewriteProgress progress_;
  RewriteSummary summary_;
  std::uint64_t progress_bytes_written_ = 0;
};

// Reads a finished file as a stranger would.
void verify_file(const AtomicFile& target, const Digest& expected, unsigned threads,
                 const RewriteOptions& options) {
  const FileReader reader(target.temporary());
  if (reader.index() != IndexState::valid) {
    throw Error(ErrorCode::corrupt, "verification: the index of the file just written is " +
                                        std::string(to_string(reader.index())) + ": " +
                                        reader.index_reason());
  }
  DigestBuilder digest;
  scan(
      reader, Projection::everything(),
      {.threads = threads, .memory_bytes = options.memory_bytes, .stop = options.stop},
      [](const Record& record, std::size_t) {
        std::vector<EventHash> hashes;
        Buffer scratch;
        hash_events(record, hashes, scratch);
        return hashes;
      },
      [&](const std::vector<EventHash>& hashes, std::size_t) { digest.add(hashes); });
  if (digest.finish().ordered != expected.ordered) {
    throw Error(ErrorCode::corrupt, "verification: the file just written has another digest");
  }
}

FileHeader header_like(std::span<const FileReader* const> inputs) {
  return inputs.empty() ? FileHeader{} : inputs[0]->header();
}

// `after` runs when all is written and may look at it.
RewriteSummary run(std::span<const FileReader* const> inputs,
                   std::span<const DictionaryEvent> dictionary, rewriting::Outputs& outputs,
                   const RewriteOptions& options,
                   const std::function<void(const RewriteSummary&)>& after) {
  const auto require_unchanged = [&] {
    for (const FileReader* input : inputs) {
      input->source().require_unchanged();
    }
  };
  try {
    RewriteSummary summary = Rewriter(inputs, dictionary, outputs, options).run();
    require_unchanged();
    after(summary);
    return summary;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::cancelled) {
      require_unchanged();  // damage in a file that somebody writes to is a change, not damage
    }
    throw;
  }
}

}  // namespace

RewriteSummary rewrite(std::span<const FileReader* const> inputs,
                       std::span<const DictionaryEvent> dictionary, ByteSink& target,
                       const RewriteOptions& options) {
  require_options(inputs, options);
  const auto* const file = dynamic_cast<const AtomicFile*>(&target);
  if (options.verify == Verify::file && file == nullptr) {
    throw Error(ErrorCode::invalid_argument, "what was written to a stream cannot be read again");
  }
  if (options.splitting.any()) {
    throw Error(ErrorCode::invalid_argument, "one file cannot be several");
  }
  rewriting::Outputs outputs(target, dictionary, header_like(inputs));
  return run(inputs, dictionary, outputs, options, [&](const RewriteSummary& summary) {
    if (options.verify == Verify::file) {
      verify_file(*file, summary.digest.value(), summary.threads, options);
    }
  });
}

SplitSummary rewrite_split(std::span<const FileReader* const> inputs,
                           std::span<const DictionaryEvent> dictionary, const TargetMaker& make,
                           const RewriteOptions& options) {
  require_options(inputs, options);
  if (!options.splitting.any()) {
    throw Error(ErrorCode::invalid_argument, "nothing says where a file is to end");
  }
  rewriting::Outputs outputs(options.splitting, make, dictionary, header_like(inputs));
  SplitSummary split;
  split.total = run(inputs, dictionary, outputs, options, [&](const RewriteSummary& summary) {
    split.outputs = outputs.take();
    for (WrittenOutput& output : split.outputs) {
      if (options.verify == Verify::none) {
        output.digest.reset();
      } else if (options.verify == Verify::file) {
        verify_file(output.file, output.digest.value(), summary.threads, options);
      }
    }
  });
  return split;
}

}  // namespace v0
}  // namespace hipotool
