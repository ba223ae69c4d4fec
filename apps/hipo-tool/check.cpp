// hipo-tool check: says which files are not what they should be, and what is wrong with them.

#include "hipotool/check.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "arguments.hpp"
#include "check_report.hpp"
#include "expected_digests.hpp"
#include "inputs.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace fs = std::filesystem;

namespace {

struct CheckRequest {
  InputOptions inputs{};
  bool quick = false;
  bool headers = false;
  bool full = false;
  bool digest = false;
  bool strict_tags = false;
  bool null_lines = false;
  bool total = false;
  std::optional<std::string> expected{};
  std::vector<std::string> expected_lists{};
};

// Exit codes (docs/cli.md), which never change.
int code_of(CheckVerdict verdict) {
  switch (verdict) {
    case CheckVerdict::consistent:
    case CheckVerdict::verified:
      return 0;
    case CheckVerdict::differs:
    case CheckVerdict::unlisted:
      return 1;
    case CheckVerdict::unreadable:
      return 10;
    case CheckVerdict::not_hipo:
      return 11;
    case CheckVerdict::empty:
      return 12;
    case CheckVerdict::no_index:
      return 13;
    case CheckVerdict::truncated:
      return 14;
    case CheckVerdict::corrupt:
      return 15;
    case CheckVerdict::index_disagrees:
      return 16;
    case CheckVerdict::tags_inconsistent:
      return 17;
  }
  return 1;
}
constexpr int kSeveralKinds = 20;

CheckDepth depth_of(const CheckRequest& request) {
  if (int{request.quick} + int{request.headers} + int{request.full} > 1) {
    throw UsageError("--quick, --headers and --full exclude each other");
  }
  const CheckDepth depth = request.quick     ? CheckDepth::quick
                           : request.headers ? CheckDepth::headers
                                             : CheckDepth::full;
  const bool needs_events =
      request.digest || request.strict_tags || request.expected || !request.expected_lists.empty();
  if (depth != CheckDepth::full && needs_events) {
    throw UsageError(fmt::format("--{} reads no events, so there is neither a digest nor a tag",
                                 to_string(depth)));
  }
  return depth;
}

void require_options(const CheckRequest& request, const Invocation& invocation) {
  if (request.expected && !request.expected_lists.empty()) {
    throw UsageError("--expect and --expect-file exclude each other");
  }
  if (request.null_lines && invocation.format() != ReportFormat::text) {
    throw UsageError("-0 is for lines of text");
  }
}

// What all files must be, or each one by itself.
class Expectations {
 public:
  explicit Expectations(const CheckRequest& request)
      : digest_(request.expected), has_list_(!request.expected_lists.empty()) {
    for (const std::string& list : request.expected_lists) {
      list_.read(list);
    }
  }

  // In the order of files, before any is opened: looking up is not for several threads.
  [[nodiscard]] std::vector<ExpectedDigests::Match> of(const std::vector<fs::path>& files) {
    std::vector<ExpectedDigests::Match> matches;
    matches.reserve(files.size());
    for (const fs::path& file : files) {
      matches.push_back(has_list_ ? list_.find(file) : ExpectedDigests::Match{digest_, ""});
    }
    return matches;
  }

  [[nodiscard]] std::size_t unused() const { return list_.unused(); }

 private:
  std::optional<std::string> digest_;
  bool has_list_;
  ExpectedDigests list_{};
};

// A file that the list does not name cannot be verified, so it is no good file either.
void note_unlisted(const std::string& problem, CheckReport& report) {
  if (problem.empty()) {
    return;
  }
  report.findings.push_back({CheckVerdict::unlisted, problem, std::nullopt});
  if (is_good(report.verdict)) {
    report.verdict = CheckVerdict::unlisted;
    report.reason = problem;
  }
}

// One file at a time shows its records, several show the files that are done.
class CheckProgressLine {
 public:
  CheckProgressLine(const std::vector<fs::path>& files, bool quiet) : line_(quiet) {
    for (const fs::path& file : files) {
      std::error_code failure;
      const std::uintmax_t bytes = fs::file_size(file, failure);
      files_.bytes_total += failure ? 0 : bytes;
    }
  }

  void show(const CheckProgress& now) {
    line_.update({.records_done = now.records_done,
                  .records_total = now.records_total,
                  .bytes_done = now.bytes_done,
                  .bytes_total = now.bytes_total});
  }
  void file_done(const CheckReport& report) {
    files_.records_done += report.records.value_or(0);
    files_.bytes_done += report.bytes.value_or(0);
    line_.update(files_);
  }
  void clear() { line_.clear(); }

 private:
  Progress line_;
  ProgressState files_{};
};

bool lacks_memory(const CheckReport& report) {
  return std::any_of(report.findings.begin(), report.findings.end(), [](const auto& finding) {
    return finding.error && finding.error->code() == ErrorCode::over_budget;
  });
}

int run(const CheckRequest& request, const std::vector<std::string>& words,
        Invocation& invocation) {
  const CheckDepth depth = depth_of(request);
  require_options(request, invocation);
  const std::vector<fs::path> files = expand_inputs(words, request.inputs);
  std::vector<fs::path> read = files;
  read.insert(read.end(), request.expected_lists.begin(), request.expected_lists.end());
  read.insert(read.end(), request.inputs.lists.begin(), request.inputs.lists.end());
  invocation.open_report(read);
  Expectations expectations(request);
  const std::vector<ExpectedDigests::Match> expected = expectations.of(files);

  const Shares shares = divide(invocation.threads(), invocation.memory_bytes(), files.size());
  CheckProgressLine progress(files, invocation.quiet());
  CheckOptions options{.depth = depth,
                       .digest = request.digest,
                       .strict_tags = request.strict_tags,
                       .stop = invocation.stop()};
  if (shares.files == 1) {
    options.progress = [&](const CheckProgress& now) { progress.show(now); };
  }
  MemoryTurns turns(shares, {1, invocation.threads(), invocation.memory_bytes()});
  const auto examine = [&](std::size_t index) {
    const auto look = [&](const Shares& share) {
      CheckOptions mine = options;
      mine.expected_digest = expected[index].digest;
      mine.threads = share.threads;
      mine.memory_bytes = share.memory_bytes;
      return check(files[index], mine);
    };
    CheckedFile file{turns.run(look, lacks_memory), expected[index].digest};
    note_unlisted(expected[index].problem, file.report);
    return file;
  };
  CheckTotal total;
  const auto show = [&](std::size_t /*index*/, const CheckedFile& file) {
    const CheckReport& report = file.report;
    progress.file_done(report);
    total.add(report);
    if (const int code = code_of(report.verdict); code != 0) {
      const int before = invocation.status();
      invocation.set_status(before == 0 || before == code ? code : kSeveralKinds);
    }
    if (invocation.format() != ReportFormat::text) {
      report_file(invocation.report(), file);
      invocation.output().flush();
    } else if (std::string line = line_of(report, request.digest, request.null_lines);
               !line.empty()) {
      progress.clear();
      line += request.null_lines ? '\0' : '\n';
      invocation.output().write(line);
      invocation.output().flush();
    }
  };
  for_each_in_order(files.size(), shares.files, examine, show);
  progress.clear();
  if (request.total) {
    report_total(invocation.report(), total, depth);
  }
  if (const std::size_t unused = expectations.unused(); unused != 0) {
    invocation.log().warning(fmt::format("--expect-file: {} {} to none of the files",
                                         counted(unused, "digest"),
                                         verb_of(unused, "belongs", "belong")));
  }
  return invocation.status();
}

void add_depth(Verb& verb, CheckRequest& request) {
  verb.section("How far to look");
  verb.flag("--quick",
            "File header, dictionary, trailer, and header and directory of the last record: some "
            "kilobytes, however large the file.",
            request.quick);
  verb.flag("--headers", "All record headers too, held against the index.", request.headers);
  verb.flag("--full",
            "Every byte of every event too: sizes, checksums, bounds, schemas. The default.",
            request.full);
}

void add_expectations(Verb& verb, CheckRequest& request) {
  verb.section("What to hold it against");
  verb.option("--expect", "DIGEST", "Every file must have this digest; then it is verified.",
              [&request](const std::string& text) { request.expected = parse_digest(text); });
  verb.repeatable_option(
      "--expect-file", "FILE",
      "Every file must have the digest that FILE lists for it, in lines of `check "
      "--digest`: by its path as given, else by its name without folders. A file that is "
      "not listed is bad. May be given several times.",
      [&request](const std::string& list) { request.expected_lists.push_back(list); });
  verb.flag("--strict-tags",
            "The tag of every event must be the first user word of its record, by which C++ and "
            "Java find tagged events.",
            request.strict_tags);
}

void add_telling(Verb& verb, CheckRequest& request) {
  verb.section("What to tell");
  verb.flag(
      "--digest",
      "For each file: digest, unordered digest, number of events and path. Files with equal "
      "digests hold the same events in the same order, whatever their layout and codec; with "
      "equal unordered digests, the same events. A bad file has verdict and reason in two more "
      "columns.",
      request.digest);
  verb.flag("--total", "In the end, what all files are together.", request.total);
  verb.flag("-0,--null", "Lines end with NUL, and names stand in them as they are.",
            request.null_lines);
}

}  // namespace

void add_check(std::vector<Verb>& verbs) {
  const auto request = std::make_shared<CheckRequest>();
  Verb verb;
  verb.name = "check";
  verb.purpose = "Inspect";
  verb.summary = "Say which files are not what they should be, and what is wrong with them.";
  verb.usage = {"FILE... [OPTION...]"};
  verb.description =
      "Silent if all is well. Otherwise each bad file gets a line on stdout: path, verdict and "
      "reason, separated by tabs. All files are looked at; a folder stands for its files *.hipo. "
      "Most codecs carry no checksum, so damage can go unnoticed: such a file is consistent, and "
      "only a digest that was noted before (--expect) can verify it.\n"
      "Exit codes: 0 all good; 1 another digest than expected; 10 unreadable, 11 not a HIPO file, "
      "12 empty, 13 no index, 14 truncated, 15 corrupt, 16 the index disagrees with the records, "
      "17 tags inconsistent (--strict-tags); 20 several of these; 2 wrong usage.";
  add_depth(verb, *request);
  add_expectations(verb, *request);
  add_telling(verb, *request);
  verb.section("Running");
  add_filelist(verb, request->inputs);
  add_threads(verb);
  add_memory(verb);
  verb.flag("-q,--quiet", "No progress.", verb.common->quiet);
  verb.section("Report");
  add_report(verb);
  verb.example("hipo-tool check *.hipo > bad.txt", "The bad ones, with reasons.")
      .example("hipo-tool check --quick -L all.txt", "Thousands of files within seconds.")
      .example("hipo-tool check --digest run/ > sums.txt", "To be kept beside the files.")
      .example("hipo-tool check --expect-file sums.txt /cache/run/", "Are the copies the same?")
      .example("hipo-tool check --json *.hipo | jq -r 'select(.verdict != \"consistent\").path'",
               "One JSON object a file.");
  verb.run = [request, words = verb.operands](Invocation& invocation) {
    return run(*request, *words, invocation);
  };
  verbs.push_back(std::move(verb));
}

}  // namespace hipotool::app
