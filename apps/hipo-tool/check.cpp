// hipo-tool check: reads files to the last event and says what is wrong with them.

#include "hipotool/digest.hpp"
#include "hipotool/error.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/scan.hpp"

#include "arguments.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report/printable.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace {

// What is wrong with a file. The numbers are exit codes (docs/cli.md) and never change.
enum class Verdict : std::uint8_t {
  good = 0,
  unreadable = 10,
  not_hipo = 11,
  empty = 12,
  no_index = 13,
  truncated = 14,
  corrupt = 15,
  index_disagrees = 16,
};
constexpr int kSeveralKinds = 20;

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::good:
      return "good";
    case Verdict::unreadable:
      return "unreadable";
    case Verdict::not_hipo:
      return "not-hipo";
    case Verdict::empty:
      return "empty";
    case Verdict::no_index:
      return "no-index";
    case Verdict::truncated:
      return "truncated";
    case Verdict::corrupt:
      return "corrupt";
    case Verdict::index_disagrees:
      return "index-disagrees";
  }
  return "";
}

struct CheckOptions {
  bool digest = false;
};

struct Finding {
  std::string path;
  Verdict verdict = Verdict::good;
  std::string reason{};
  std::optional<Error> error{};
  std::optional<Digest> digest{};  // of all events, unless an error came in between
  std::optional<std::uint64_t> bytes{};
  std::optional<std::uint64_t> records{};
  std::optional<std::uint64_t> events{};  // as the record headers count them
  std::optional<IndexState> index{};
};

Verdict verdict_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::truncated:
      return Verdict::truncated;
    case ErrorCode::corrupt:
    case ErrorCode::checksum:
      return Verdict::corrupt;
    case ErrorCode::bad_magic:
      // Without a record it is the file header that is none.
      return error.context().record_offset ? Verdict::corrupt : Verdict::not_hipo;
    default:
      return Verdict::unreadable;
  }
}

void judge_index(const FileReader& reader, Finding& finding) {
  switch (reader.index()) {
    case IndexState::valid:
      return;
    case IndexState::absent:
      finding.verdict = reader.event_count() == 0 ? Verdict::empty : Verdict::no_index;
      break;
    case IndexState::cut:
      finding.verdict = Verdict::truncated;
      break;
    case IndexState::damaged:
      finding.verdict = Verdict::index_disagrees;
      break;
  }
  finding.reason = reader.index_reason();
  if (finding.verdict == Verdict::empty) {
    finding.reason = "no events, and " + finding.reason;
  }
}

Digest read_all(const FileReader& reader, const Invocation& invocation) {
  const ScanOptions options{.threads = invocation.threads(),
                            .memory_bytes = invocation.memory_bytes(),
                            .stop = invocation.stop()};
  DigestBuilder digest;
  Progress progress(invocation.quiet());
  ProgressState state{.records_total = reader.records().size(), .bytes_total = reader.file_bytes()};
  scan(
      reader, Projection::everything(), options,
      [](const Record& record, std::size_t) {
        std::vector<EventHash> hashes;
        Buffer scratch;
        hash_events(record, hashes, scratch);
        return hashes;
      },
      [&](const std::vector<EventHash>& hashes, std::size_t index) {
        digest.add(hashes);
        state.records_done = index + 1;
        state.bytes_done += reader.records()[index].header.record_bytes();
        progress.update(state);
      });
  return digest.finish();
}

Finding examine(const std::string& path, const Invocation& invocation) {
  Finding finding{.path = path};
  try {
    const FileReader reader{std::filesystem::path(path)};
    finding.bytes = reader.file_bytes();
    finding.records = reader.records().size();
    finding.events = reader.event_count();
    finding.index = reader.index();
    judge_index(reader, finding);
    finding.digest = read_all(reader, invocation);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) {
      throw;
    }
    std::error_code ignored;
    const bool no_bytes = std::filesystem::is_regular_file(path, ignored) &&
                          std::filesystem::file_size(path, ignored) == 0;
    finding.verdict = no_bytes ? Verdict::empty : verdict_of(error);
    finding.reason = no_bytes ? "the file has no bytes" : error.what();
    // The path stands in front of the line already.
    if (const std::string prefix = path + ": "; finding.reason.starts_with(prefix)) {
      finding.reason.erase(0, prefix.size());
    }
    finding.error = error;
  }
  return finding;
}

// With --digest: digest, unordered digest, events, path, and for a bad file verdict and reason.
// Without: path, verdict and reason of bad files.
void write_line(const Finding& finding, const CheckOptions& options, Output& output) {
  std::string line;
  if (options.digest) {
    line = finding.digest ? fmt::format("{}\t{}\t{}\t", finding.digest->ordered,
                                        finding.digest->unordered, finding.digest->events)
                          : "-\t-\t-\t";
  } else if (finding.verdict == Verdict::good) {
    return;
  }
  line += tsv_field(finding.path);
  if (finding.verdict != Verdict::good) {
    line += fmt::format("\t{}\t{}", to_string(finding.verdict), tsv_field(finding.reason));
  }
  output.write(line + "\n");
  output.flush();
}

void write_report(const Finding& finding, const CheckOptions& options, ReportWriter& report) {
  const Error* error = finding.error ? &*finding.error : nullptr;
  const Digest* digest = options.digest && finding.digest ? &*finding.digest : nullptr;
  const auto where = [error](auto member) {
    return error == nullptr ? Cell() : cell_of(error->context().*member);
  };
  report.begin_document("check");
  report.field({"path"}, finding.path);
  report.field({"verdict"}, std::string(to_string(finding.verdict)));
  report.field({"reason"}, cell_or_null(finding.reason));
  report.field({"digest"}, digest == nullptr ? Cell() : Cell(digest->ordered));
  report.field({"unordered_digest"}, digest == nullptr ? Cell() : Cell(digest->unordered));
  report.field({"bytes", Unit::bytes}, cell_of(finding.bytes));
  report.field({"records", Unit::count}, cell_of(finding.records));
  report.field({"events", Unit::count}, cell_of(finding.events));
  report.field({"index"}, finding.index ? Cell(std::string(to_string(*finding.index))) : Cell());
  report.field({"error_code"},
               error == nullptr ? Cell() : Cell(std::string(to_string(error->code()))));
  report.field({"error_record", Unit::count}, where(&ErrorContext::record));
  report.field({"error_record_offset", Unit::count}, where(&ErrorContext::record_offset));
  report.field({"error_offset", Unit::count}, error == nullptr ? Cell() : cell_of(error->offset()));
  report.field({"error_event", Unit::count}, where(&ErrorContext::event));
  report.field({"error_bank"}, error == nullptr ? Cell() : cell_or_null(error->context().bank));
  report.field({"error_column"}, error == nullptr ? Cell() : cell_or_null(error->context().column));
  report.end_document();
}

int run(const CheckOptions& options, const std::vector<std::string>& paths,
        Invocation& invocation) {
  if (paths.empty()) {
    throw UsageError("no file given");
  }
  invocation.open_report(std::vector<std::filesystem::path>(paths.begin(), paths.end()));
  for (const std::string& path : paths) {
    const Finding finding = examine(path, invocation);
    if (finding.verdict != Verdict::good) {
      const int code = static_cast<int>(finding.verdict);
      invocation.set_status(
          invocation.status() == 0 || invocation.status() == code ? code : kSeveralKinds);
    }
    if (invocation.format() == ReportFormat::text) {
      write_line(finding, options, invocation.output());
    } else {
      write_report(finding, options, invocation.report());
      invocation.output().flush();
    }
  }
  return invocation.status();
}

}  // namespace

void add_check(std::vector<Verb>& verbs) {
  const auto options = std::make_shared<CheckOptions>();
  Verb verb;
  verb.name = "check";
  verb.purpose = "Inspect";
  verb.summary = "Read files to the last event and name those with something wrong.";
  verb.usage = {"FILE... [OPTION...]"};
  verb.description =
      "Silent if all is well. Otherwise each bad file gets a line on stdout: path, verdict and "
      "reason, "
      "separated by tabs. All files are looked at. Most codecs carry no checksum, so damage can go "
      "unnoticed here; compare digests to be sure of the content.\n"
      "Exit codes: 0 all good; 10 unreadable, 11 not a HIPO file, 12 empty, 13 no index, 14 "
      "truncated, "
      "15 corrupt, 16 the index disagrees with the records; 20 several of these; 2 wrong usage.";
  verb.section("What to tell");
  verb.flag(
      "--digest",
      "For each file: digest, unordered digest, number of events and path. Files with equal "
      "digests hold the same events in the same order, whatever their layout and codec; with "
      "equal unordered digests, the same events. A bad file has verdict and reason in two more "
      "columns.",
      options->digest);
  verb.section("Running");
  add_threads(verb);
  add_memory(verb);
  verb.flag("-q,--quiet", "No progress.", verb.common->quiet);
  verb.section("Report");
  add_report(verb);
  verb.example("hipo-tool check *.hipo > bad.txt", "The bad ones, with reasons.")
      .example("hipo-tool check --digest a.hipo b.hipo", "Do they hold the same events?")
      .example("hipo-tool check --json *.hipo | jq -r 'select(.verdict != \"good\").path'",
               "One JSON object a file.");
  verb.run = [options, words = verb.operands](Invocation& invocation) {
    return run(*options, *words, invocation);
  };
  verbs.push_back(std::move(verb));
}

}  // namespace hipotool::app
