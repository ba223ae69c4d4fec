#include "hipotool/check.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/scan.hpp"

#include "file/file_walk.hpp"
#include "inspect/check_verdict.hpp"
#include "inspect/quick_check.hpp"
#include "inspect/record_facts.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <set>
#include <span>

namespace hipotool {
inline namespace v0 {
namespace {

// The path is told elsewhere.
std::string message_of(const Error& error) {
  ErrorContext context = error.context();
  context.path.clear();
  return Error(error.code(), error.message(), context).what();
}

// Whether looking for records behind the damage may find some.
bool may_hold_records(ErrorCode code) {
  return code == ErrorCode::truncated || code == ErrorCode::corrupt ||
         code == ErrorCode::bad_magic || code == ErrorCode::unsupported;
}

class FileCheck {
 public:
  FileCheck(std::shared_ptr<const ByteSource> source, const CheckOptions& options)
      : source_(std::move(source)), options_(options) {
    report_.path = source_->name();
    report_.depth = options.depth;
    report_.bytes = source_->size();
  }

  CheckReport run() {
    if (source_->size() == 0) {
      note(CheckVerdict::empty, "the file has no bytes");
    } else if (options_.depth == CheckDepth::quick) {
      noting_errors([&] {
        judge_appended(inspect::check_quickly(*source_, options_.memory_bytes, report_));
      });
    } else if (const std::optional<FileReader> reader = open()) {
      describe(*reader);
      if (options_.depth == CheckDepth::full) {
        noting_errors([&] { read_all(*reader); });
      }
    }
    noting_errors([&] { source_->require_unchanged(); });
    conclude();
    return std::move(report_);
  }

 private:
  template <typename Work>
  bool noting_errors(const Work& work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) {
        throw;
      }
      note(error);
    } catch (const std::bad_alloc&) {
      note(Error(ErrorCode::over_budget, "out of memory"));
    }
    return false;
  }

  // A damaged file is opened for what can still be found in it.
  std::optional<FileReader> open() {
    std::optional<FileReader> reader;
    if (noting_errors([&] { reader.emplace(source_); })) {
      judge_index(*reader);
      judge_appended(reader->appended());
      if (options_.depth == CheckDepth::full &&
          (reader->index() == IndexState::damaged || reader->appended())) {
        // What the index knows may help to tell sound records from others.
        noting_errors([&] { reader.emplace(source_, salvaging()); });
      }
      is_whole_ = reader->gaps().empty() && !reader->appended();
      return reader;
    }
    if (options_.depth != CheckDepth::full ||
        !may_hold_records(report_.findings.front().error->code())) {
      return std::nullopt;
    }
    try {
      reader.emplace(source_, salvaging());
      return reader;
    } catch (const std::exception&) {
      // Why it cannot be opened was noted; here it had no record at all.
      report_.good_records = 0;
      report_.good_events = 0;
      return std::nullopt;
    }
  }

  [[nodiscard]] ReaderOptions salvaging() const {
    return {.salvage = true, .salvage_bytes = options_.memory_bytes};
  }

  void judge_index(const FileReader& reader) {
    switch (reader.index()) {
      case IndexState::valid:
        break;
      case IndexState::absent:
        if (reader.event_count() == 0) {
          note(CheckVerdict::empty, "no events, and " + reader.index_reason());
        } else {
          note(CheckVerdict::no_index, reader.index_reason());
        }
        break;
      case IndexState::cut:
        note(CheckVerdict::truncated, reader.index_reason());
        break;
      case IndexState::damaged:
        note(CheckVerdict::index_disagrees, reader.index_reason());
        break;
    }
  }

  void judge_appended(const std::optional<Appended>& appended) {
    if (appended) {
      note(Error(ErrorCode::corrupt, to_string(*appended), {.record_offset = appended->offset}));
    }
  }

  void describe(const FileReader& reader) {
    report_.records = reader.records().size();
    report_.events = reader.event_count();
    report_.empty_records = reader.empty_records();
    report_.index = reader.index();
    report_.stray_bytes = reader.stray_bytes();
    report_.gaps.assign(reader.gaps().begin(), reader.gaps().end());
    for (const RecordEntry& entry : reader.records()) {
      add(entry.header, report_.by_user_word[entry.header.user_words.first]);
      add(entry.header, report_.by_compression[{entry.header.codec, entry.header.layout}]);
    }
    const std::uint64_t trailer = reader.header().trailer_position;
    if (reader.index() == IndexState::cut && trailer >= source_->size()) {
      report_.bytes_missing = trailer - source_->size();
    }
  }

  static void add(const RecordHeader& header, CheckTally& tally) {
    ++tally.records;
    tally.events += header.event_count;
    tally.stored_bytes += header.record_bytes();
  }

  void read_all(const FileReader& reader) {
    begin_counts(reader);
    DigestBuilder digest;
    const bool hash = options_.digest || options_.expected_digest;
    std::vector<std::uint64_t> checksummed(reader.records().size());
    CheckProgress progress{.records_total = reader.records().size()};
    for (const RecordEntry& entry : reader.records()) {
      progress.bytes_total += entry.header.record_bytes();
    }
    const auto done = [&](std::size_t index) {
      progress.records_done = index + 1;
      progress.bytes_done += reader.records()[index].header.record_bytes();
      if (options_.progress) {
        options_.progress(progress);
      }
    };
    ScanOptions scan_options;
    scan_options.threads = options_.threads;
    scan_options.memory_bytes = options_.memory_bytes;
    scan_options.stop = options_.stop;
    scan_options.on_bad_record = [&](const Error& error, std::size_t index) {
      count_bad(reader.records()[index], error);
      done(index);
    };
    scan_options.on_directory = [&](const RecordDirectory& directory, std::size_t index) {
      checksummed[index] = inspect::checksummed_bytes(reader.records()[index].header, directory);
    };
    scan(
        reader, Projection::everything(), scan_options,
        [hash](const Record& record, std::size_t) { return inspect::facts_of(record, hash); },
        [&](const inspect::RecordFacts& facts, std::size_t index) {
          digest.add(facts.hashes);
          *report_.checksummed_bytes += checksummed[index];
          count_good(reader.records()[index], facts);
          done(index);
        });
    note_tags();
    if (hash && is_whole_ && report_.bad_records == 0U) {
      report_.digest = digest.finish();
      compare_digest();
    }
  }

  void begin_counts(const FileReader& reader) {
    report_.bad_records = 0;
    report_.good_records = 0;
    report_.good_events = 0;
    report_.bytes_lost = 0;
    report_.stored_bytes = 0;
    report_.checksummed_bytes = 0;
    report_.mixed_records = 0;
    report_.events_by_tag.emplace();
    report_.oddities.emplace();
    report_.oddities->unread_dictionary_texts = reader.dictionary().notes().size();
    for (const Gap& gap : reader.gaps()) {
      *report_.bytes_lost += gap.bytes;
    }
  }

  void count_bad(const RecordEntry& entry, const Error& error) {
    ++*report_.bad_records;
    *report_.bytes_lost += entry.header.record_bytes();
    if (*report_.bad_records <= CheckReport::kBadRecordsListed) {
      note(error);
    }
  }

  void count_good(const RecordEntry& entry, const inspect::RecordFacts& facts) {
    ++*report_.good_records;
    *report_.good_events += facts.events;
    *report_.stored_bytes += entry.header.payload_bytes();
    report_.events_by_tag->add(facts.events_by_tag);
    if (facts.other_tags != 0) {
      ++*report_.mixed_records;
      if (first_mixed_.empty()) {
        Error where(ErrorCode::corrupt,
                    std::to_string(facts.other_tags) + " of its " + counted(facts.events, "event") +
                        std::string(verb_of(facts.other_tags, " has", " have")) +
                        " another tag than its user word, " +
                        std::to_string(entry.header.user_words.first),
                    {.record = entry.number, .record_offset = entry.offset});
        first_mixed_ = where.what();
      }
    }
    CheckOddities& all = *report_.oddities;
    for (const auto& [kind, events] : facts.oddities.events) {
      all.events[kind] += events;
    }
    all.ragged_banks += facts.oddities.ragged_banks;
    all.banks_without_schema += facts.oddities.banks_without_schema;
    all.records_with_surplus += facts.oddities.records_with_surplus;
  }

  void note_tags() {
    if (options_.strict_tags && !first_mixed_.empty()) {
      note(CheckVerdict::tags_inconsistent,
           first_mixed_ + "; " + std::to_string(*report_.mixed_records) + " of " +
               counted(*report_.good_records, "record") +
               std::string(verb_of(*report_.mixed_records, " is", " are")) + " so");
    }
  }

  void compare_digest() {
    if (!options_.expected_digest) {
      return;
    }
    is_verified_ = report_.digest->ordered == *options_.expected_digest;
    if (!is_verified_) {
      note(CheckVerdict::differs, "its events have the digest " + report_.digest->ordered +
                                      ", not " + *options_.expected_digest);
    }
  }

  void note(CheckVerdict verdict, std::string message) {
    report_.findings.push_back({verdict, std::move(message), std::nullopt});
  }
  void note(const Error& error) {
    report_.findings.push_back({inspect::verdict_of(error), message_of(error), error});
  }

  void conclude() {
    std::vector<CheckFinding>& findings = report_.findings;
    std::stable_sort(findings.begin(), findings.end(), [](const auto& a, const auto& b) {
      return inspect::gravity(a.verdict) > inspect::gravity(b.verdict);
    });
    if (findings.empty()) {
      report_.verdict = is_verified_ ? CheckVerdict::verified : CheckVerdict::consistent;
      return;
    }
    report_.verdict = findings.front().verdict;
    report_.reason = findings.front().message + extent();
    std::set<CheckVerdict> told{report_.verdict};
    for (const CheckFinding& finding : findings) {
      if (told.insert(finding.verdict).second) {
        report_.reason += "; " + finding.message;
      }
    }
  }

  // How bad it is: "; 1 of 3 records bad, 512 bytes lost, 8 events recoverable".
  [[nodiscard]] std::string extent() const {
    const bool is_damaged =
        inspect::gravity(report_.verdict) >= inspect::gravity(CheckVerdict::no_index) &&
        report_.verdict != CheckVerdict::differs;
    if (!is_damaged || !report_.events) {
      return "";
    }
    std::string text;
    const auto say = [&text](const std::string& what) {
      text += (text.empty() ? "; " : ", ") + what;
    };
    if (report_.bad_records.value_or(0) != 0) {
      say(std::to_string(*report_.bad_records) + " of " + counted(*report_.records, "record") +
          " bad");
    }
    if (report_.bytes_lost.value_or(0) != 0) {
      say(counted(*report_.bytes_lost, "byte") + " lost");
    }
    if (report_.index == IndexState::absent) {
      say("no index");
    }
    if (report_.good_events) {
      say(counted(*report_.good_events, "event") + " recoverable");
    } else if (options_.depth == CheckDepth::headers) {
      say(counted(*report_.events, "event") + " by the record headers");
    }
    return text;
  }

  std::shared_ptr<const ByteSource> source_;
  const CheckOptions& options_;
  CheckReport report_;
  bool is_whole_ = false;  // every record header is where it must be
  bool is_verified_ = false;
  std::string first_mixed_;
};

void require_options(const CheckOptions& options) {
  if (options.depth != CheckDepth::full &&
      (options.digest || options.expected_digest || options.strict_tags)) {
    throw Error(ErrorCode::invalid_argument,
                "digests and event tags are known only after a full check");
  }
}

}  // namespace

std::string_view to_string(CheckDepth depth) noexcept {
  switch (depth) {
    case CheckDepth::quick:
      return "quick";
    case CheckDepth::headers:
      return "headers";
    case CheckDepth::full:
      break;
  }
  return "full";
}

CheckReport check(std::shared_ptr<const ByteSource> source, const CheckOptions& options) {
  require_options(options);
  return FileCheck(std::move(source), options).run();
}

CheckReport check(const std::filesystem::path& path, const CheckOptions& options) {
  require_options(options);
  std::shared_ptr<const ByteSource> source;
  try {
    source = open_file(path);
  } catch (const Error& error) {
    CheckReport report;
    report.path = path.string();
    report.depth = options.depth;
    report.verdict = inspect::verdict_of(error);
    report.findings.push_back({report.verdict, message_of(error), error});
    report.reason = report.findings.front().message;
    return report;
  }
  return check(std::move(source), options);
}

}  // namespace v0
}  // namespace hipotool
