// hipo-tool generate: writes a sample file of synthetic events.

#include "hipotool/atomic_file.hpp"
#include "hipotool/dictionary.hpp"
#include "hipotool/digest.hpp"
#include "hipotool/error.hpp"
#include "hipotool/merge.hpp"
#include "hipotool/projection.hpp"
#include "hipotool/transcode.hpp"
#include "hipotool/writer.hpp"

#include "arguments.hpp"
#include "event_record.hpp"
#include "invocation.hpp"
#include "machine.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report/written_file.hpp"
#include "sample/generator.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace {

constexpr std::uint64_t kDefaultEvents = 1000;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
// Made by one thread at a time; some megabytes.
constexpr std::uint64_t kEventsPerPiece = 256;

struct GenerateOptions {
  CompressionOptions compression{.default_layout = LayoutId::per_chunk};
  sample::GeneratorOptions generator{};
  std::optional<std::uint64_t> events{};
  std::optional<std::uint64_t> raw_bytes{};
  std::optional<PeerReader> readable_by{};
  bool force = false;
};

struct GenerateResult {
  WriteSummary file{};
  Digest digest{};
  std::uint64_t raw_bytes = 0;
  std::map<std::uint32_t, std::uint64_t> events_by_tag{};
  Cost cost{};
};

// Runs work(0) to work(count - 1) at once, each in a thread, and waits for all. Of several
// exceptions the one with the lowest number is thrown.
template <typename Work>
void run_side_by_side(std::size_t count, const Work& work) {
  std::vector<std::exception_ptr> failures(count);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&work, &failures, i] {
        try {
          work(i);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  }
}

std::vector<DictionaryEvent> dictionary_events(const GenerateOptions& options) {
  const sample::Profile profile = options.generator.profile;
  std::vector<DictionaryEvent> events;
  for (const Schema& schema : sample::sample_schemas(profile)) {
    events.push_back(schema_event(schema, true));
  }
  if (options.readable_by == PeerReader::cpp) {
    return events;  // it crashes on configuration
  }
  for (auto& [key, value] : sample::sample_configuration(profile)) {
    events.push_back(configuration_event({.key = key, .value = value}));
  }
  return events;
}

// Somebody is waiting for the file.
void require_readable(const GenerateOptions& options, const Compression& compression) {
  if (!options.readable_by) {
    return;
  }
  const std::vector<DictionaryEvent> events = dictionary_events(options);
  const Readers readers = readers_of(Dictionary(events), events, std::span(&compression, 1));
  const bool cpp = *options.readable_by == PeerReader::cpp;
  const std::string& reason = cpp ? readers.cpp : readers.java;
  if (!reason.empty()) {
    throw UsageError("--readable-by: " + std::string(cpp ? "C++ hipo4" : "Java") +
                     " cannot read the file: " + reason);
  }
}

// Works in rounds: every thread makes a piece of the sample, the pieces are cut into records in
// order, and whenever each thread can have one, records are encoded side by side and appended in
// order. So the bytes do not depend on the number of threads.
class Generation {
 public:
  Generation(const GenerateOptions& options, const ResolvedCompression& storage,
             Invocation& invocation, AtomicFile& target)
      : storage_(&storage),
        invocation_(&invocation),
        events_wanted_(options.events.value_or(options.raw_bytes ? kNoLimit : kDefaultEvents)),
        raw_bytes_wanted_(options.raw_bytes.value_or(kNoLimit)),
        dictionary_events_(dictionary_events(options)),
        dictionary_(dictionary_events_),
        writer_(target, dictionary_events_) {
    for (unsigned i = 0; i < invocation.threads(); ++i) {
      makers_.push_back(std::make_unique<Maker>(options.generator));
      encoders_.push_back(std::make_unique<Encoder>());
    }
  }

  GenerateResult run() {
    Progress progress(invocation_->quiet());
    while (!complete()) {
      if (invocation_->stop().stop_requested()) {
        throw Error(ErrorCode::cancelled, "stopped on request");
      }
      make_pieces();
      cut_pieces();
      while (ready_.size() >= encoders_.size()) {
        encode_ready();
      }
      progress.update({.records_done = writer_.records(), .bytes_done = result_.raw_bytes});
    }
    close_record();
    while (!ready_.empty()) {
      encode_ready();
    }
    result_.file = writer_.finish();
    result_.digest = digest_.finish();
    return std::move(result_);
  }

 private:
  struct Maker {
    explicit Maker(const sample::GeneratorOptions& options) : generator(options) {}

    sample::EventGenerator generator;
    std::vector<sample::SampleEvent> events{kEventsPerPiece};
  };

  struct Encoder {
    CodecContext context{};
    RecordDirectory directory{};
    std::shared_ptr<Record> record = std::make_shared<Record>();
    EncodedRecord encoded{};
    std::vector<EventHash> hashes{};
    Buffer scratch{};
  };

  [[nodiscard]] bool complete() const {
    return events_taken_ >= events_wanted_ || result_.raw_bytes >= raw_bytes_wanted_;
  }

  void make_pieces() {
    const std::uint64_t first = events_taken_;
    run_side_by_side(makers_.size(), [&](std::size_t i) {
      Maker& maker = *makers_[i];
      maker.generator.seek(first + i * kEventsPerPiece);
      for (sample::SampleEvent& event : maker.events) {
        maker.generator.next(event);
      }
    });
  }

  void cut_pieces() {
    for (const std::unique_ptr<Maker>& maker : makers_) {
      for (const sample::SampleEvent& event : maker->events) {
        if (complete()) {
          return;
        }
        const bool full = open_.event_count() >= storage_->record_events ||
                          open_.raw_bytes_with(event.bytes.span()) > storage_->record_bytes;
        if (full && open_.event_count() > 0) {
          close_record();
        }
        open_.add(event.bytes.span());
        ++events_taken_;
        ++result_.events_by_tag[event.tag];
        result_.raw_bytes += 4 + event.bytes.size();
      }
    }
  }

  void close_record() {
    if (open_.event_count() > 0) {
      ready_.push_back(open_.take());
    }
  }

  // As many records as there are threads, the oldest ones.
  void encode_ready() {
    const std::size_t count = std::min(ready_.size(), encoders_.size());
    run_side_by_side(count, [&](std::size_t i) { encode_one(ready_[i], *encoders_[i]); });
    for (std::size_t i = 0; i < count; ++i) {
      writer_.append(encoders_[i]->encoded);
      digest_.add(encoders_[i]->hashes);
    }
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  void encode_one(const Buffer& uncompressed, Encoder& encoder) const {
    const StoredRecord stored = StoredRecord::borrow(uncompressed.span());
    read_directory(stored, encoder.context, encoder.directory);
    decode(stored, encoder.directory, dictionary_, Projection::everything(), encoder.context,
           *encoder.record);
    encoder.hashes.clear();
    hash_events(*encoder.record, encoder.hashes, encoder.scratch);
    EventBatch batch;
    batch.append(encoder.record, 0, encoder.record->event_count());
    encode(batch, storage_->compression, dictionary_, encoder.context, encoder.encoded);
  }

  const ResolvedCompression* storage_;
  Invocation* invocation_;
  std::uint64_t events_wanted_;
  std::uint64_t raw_bytes_wanted_;
  std::vector<DictionaryEvent> dictionary_events_;
  Dictionary dictionary_;
  FileWriter writer_;
  std::vector<std::unique_ptr<Maker>> makers_{};
  std::vector<std::unique_ptr<Encoder>> encoders_{};
  EventRecord open_{};
  std::vector<Buffer> ready_{};
  DigestBuilder digest_{};
  std::uint64_t events_taken_ = 0;
  GenerateResult result_{};
};

void report_generated(const GenerateOptions& options, const ResolvedCompression& storage,
                      const std::string& target, const GenerateResult& result,
                      Invocation& invocation) {
  ReportWriter& report = invocation.report();
  report.begin_document("generate");
  report.field({"output"}, target);
  report.field({"profile"}, std::string(to_string(options.generator.profile)));
  report.field({"seed", Unit::count}, options.generator.seed);
  report.field({"events", Unit::count}, result.file.events);
  report.field({"raw_bytes", Unit::bytes}, result.raw_bytes);
  report.field({"bytes_out", Unit::bytes}, result.file.file_bytes);
  report.field({"raw_ratio", Unit::ratio}, ratio(result.raw_bytes, result.file.file_bytes));
  report.field({"records_out", Unit::count}, result.file.records);
  report.field({"digest"}, result.digest.ordered);
  report.field({"unordered_digest"}, result.digest.unordered);
  report_storage(report, {.compression = storage.compression,
                          .record_bytes = storage.record_bytes,
                          .record_events = storage.record_events,
                          .threads = invocation.threads()});
  report_cost(report, result.cost);
  report_events_by_tag(report, result.events_by_tag);
  report_warnings(report, invocation.log().warnings());
  report.end_document();
}

int run(const GenerateOptions& options, const std::vector<std::string>& words,
        Invocation& invocation) {
  if (options.events && options.raw_bytes) {
    throw UsageError("--events and --raw-size exclude each other");
  }
  if (words.size() != 1) {
    throw UsageError(words.empty() ? "no output file given: generate OUT"
                                   : "one output file at a time");
  }
  if (words.front() == "-") {
    throw UsageError("'-': this writes a file; recook and tag-filter pass files on through pipes");
  }
  const ResolvedCompression storage = resolve(options.compression);
  require_readable(options, storage.compression);
  const std::filesystem::path path = words.front();
  invocation.open_report(std::span(&path, 1));

  const auto start = std::chrono::steady_clock::now();
  AtomicFile target = invocation.create_target(path, options.force);
  GenerateResult result = Generation(options, storage, invocation, target).run();
  const auto written = std::chrono::steady_clock::now();
  target.commit();
  invocation.note_written(path.string());
  for (const std::string& warning : target.warnings()) {
    invocation.log().warning(warning);
  }
  result.cost = {.real_seconds = std::chrono::duration<double>(written - start).count(),
                 .sync_seconds = target.sync_seconds(),
                 .cpu_seconds = cpu_seconds(),
                 .peak_memory_bytes = peak_memory_bytes()};
  if (invocation.wants_report()) {
    report_generated(options, storage, path.string(), result, invocation);
  }
  return 0;
}

void add_sample(Verb& verb, GenerateOptions& options) {
  verb.section("Sample");
  verb.option("--profile", "WORD",
              "dst: cooked events, some 14 kB each, and a scaler event (tag 1) every so often "
              "(default). raw: ADC and TDC hits. skim: cooked events of few topologies. tiny: some "
              "200 bytes each.",
              [&options](const std::string& word) {
                const std::optional<sample::Profile> profile = sample::parse_profile(word);
                if (!profile) {
                  throw UsageError("'" + word + "' is none of dst, raw, skim, tiny");
                }
                options.generator.profile = *profile;
              })
      .choices({"dst", "raw", "skim", "tiny"});
  verb.option(
      "--events", "N", "How many events. Default: 1000.",
      [&options](const std::string& text) { options.events = parse_number(text, 0, kNoLimit); });
  verb.option("--raw-size", "SIZE", "As many events as take that much uncompressed.",
              [&options](const std::string& text) { options.raw_bytes = parse_size(text); });
  verb.option("--seed", "N", "Another seed makes other events. Default: 1.",
              [&options](const std::string& text) {
                options.generator.seed = parse_number(text, 0, kNoLimit);
              });
}

}  // namespace

void add_generate(std::vector<Verb>& verbs) {
  const auto options = std::make_shared<GenerateOptions>();
  Verb verb;
  verb.name = "generate";
  verb.purpose = "Make";
  verb.summary = "Write a sample file of synthetic CLAS12-like events.";
  verb.usage = {"OUT [OPTION...]"};
  verb.description =
      "The same options give the same bytes on any machine and with any number of threads. What "
      "the "
      "events model, and what they do not, stands in docs/generate.md; sizes and speeds measured "
      "on "
      "them show a direction only. Events with different tags share records, as they come, and the "
      "records' user words are 0.";
  add_sample(verb, *options);
  verb.section("Storage");
  add_compression(verb, options->compression);
  verb.section("Output file");
  verb.flag("-f,--force", "Replace OUT if it exists.", options->force);
  add_readable_by(verb,
                  "cpp or java: refuse what that reader cannot read. For cpp the configuration "
                  "entries, which tell that the events are synthetic, are left out.",
                  options->readable_by);
  verb.section("Running");
  add_threads(verb);
  add_quiet(verb);
  verb.section("Report");
  add_report(verb);
  verb.example("hipo-tool generate sample.hipo", "1000 cooked events, per-chunk, lz4.")
      .example("hipo-tool generate raw.hipo --profile raw --raw-size 500MB -j 4",
               "Something to measure on.");
  verb.run = [options, words = verb.operands](Invocation& invocation) {
    return run(*options, *words, invocation);
  };
  verbs.push_back(std::move(verb));
}

}  // namespace hipotool::app
