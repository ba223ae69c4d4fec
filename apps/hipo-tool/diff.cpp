// hipo-tool diff: says what differs between two files.

#include "hipotool/compare.hpp"
#include "hipotool/error.hpp"
#include "hipotool/names.hpp"
#include "hipotool/reader.hpp"

#include "arguments.hpp"
#include "inputs.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "reading.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace {

constexpr int kDifferent = 1;
constexpr int kCannotCompare = 4;

double parse_tolerance(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  // A NaN is not at least 0 either.
  if (parsed.ec != std::errc() || parsed.ptr != end || !(value >= 0) ||
      value > std::numeric_limits<double>::max()) {
    throw UsageError(fmt::format("'{}' is not a number of 0 or more", text));
  }
  return value;
}

void take_tolerances(const std::string& text, CompareOptions& options) {
  const std::vector<std::string> words = split_list(text);
  if (words.size() > 2) {
    throw UsageError(fmt::format("'{}' is not ABSOLUTE or ABSOLUTE,RELATIVE", text));
  }
  options.absolute_tolerance = parse_tolerance(words.front());
  options.relative_tolerance = words.size() == 2 ? parse_tolerance(words.back()) : 0;
}

std::string_view result_word(const Comparison& comparison) {
  if (comparison.same()) {
    return "same";
  }
  return comparison.other_order && comparison.descriptions_different == 0 ? "other-order"
                                                                          : "different";
}

// People do not want to see empty tables; programs want all keys.
void report_tables(const Comparison& comparison, bool empty_ones, ReportWriter& report) {
  if (empty_ones || !comparison.differences.empty()) {
    report.begin_table("differences", std::array<ReportColumn, 9>{{{"kind"},
                                                                   {"event_a"},
                                                                   {"event_b"},
                                                                   {"bank"},
                                                                   {"column"},
                                                                   {"row"},
                                                                   {"element"},
                                                                   {"a"},
                                                                   {"b"}}});
    for (const Difference& difference : comparison.differences) {
      report.row(std::array<Cell, 9>{
          {Cell(std::string(to_string(difference.kind))), cell_of(difference.event_a),
           cell_of(difference.event_b), cell_or_null(difference.bank),
           cell_or_null(difference.column), cell_of(difference.row), cell_of(difference.element),
           cell_or_null(difference.a), cell_or_null(difference.b)}});
    }
    report.end_table();
  }
  if (empty_ones || !comparison.columns.empty()) {
    report.begin_table(
        "columns",
        std::array<ReportColumn, 4>{
            {{"bank"}, {"column"}, {"values_different", Unit::count}, {"largest_difference"}}});
    for (const auto& [name, differences] : comparison.columns) {
      report.row(std::array<Cell, 4>{{Cell(name.first), Cell(name.second), Cell(differences.values),
                                      Cell(differences.largest)}});
    }
    report.end_table();
  }
}

void report_comparison(const Comparison& comparison, const std::vector<std::string>& paths,
                       Invocation& invocation) {
  ReportWriter& report = invocation.report();
  report.begin_document("diff");
  report.field({"path_a"}, paths[0]);
  report.field({"path_b"}, paths[1]);
  report.field({"result"}, std::string(result_word(comparison)));
  report.field({"events_a", Unit::count}, comparison.events_a);
  report.field({"events_b", Unit::count}, comparison.events_b);
  report.field({"same_events_in_another_order"}, comparison.other_order);
  report.field({"events_paired", Unit::count}, comparison.events_paired);
  report.field({"events_different", Unit::count}, comparison.events_different);
  report.field({"descriptions_different", Unit::count}, comparison.descriptions_different);
  report.field({"digest_a"}, comparison.digest_a.ordered);
  report.field({"digest_b"}, comparison.digest_b.ordered);
  report.field({"unordered_digest_a"}, comparison.digest_a.unordered);
  report.field({"unordered_digest_b"}, comparison.digest_b.unordered);
  report_tables(comparison, invocation.json(), report);
  report.end_document();
}

// A bank that one file alone knows is compared, with nothing.
void tell_unknown_banks(const std::vector<std::string>& banks, const FileReader& reader, Log& log) {
  for (const std::string& bank : banks) {
    try {
      static_cast<void>(find_schemas(reader.dictionary(), {bank}));
    } catch (const Error& error) {
      log.warning(reader.name() + ": " + error.message());
    }
  }
}

int run(CompareOptions options, const std::vector<std::string>& paths, Invocation& invocation) {
  invocation.advise_on_damage(kDamageAdvice);
  if (paths.size() != 2) {
    throw UsageError("two files are compared, not " + std::to_string(paths.size()));
  }
  for (const std::string& path : paths) {
    refuse_stdin(path);
  }
  invocation.open_report(std::vector<std::filesystem::path>(paths.begin(), paths.end()));
  options.threads = invocation.threads();
  options.memory_bytes = invocation.memory_bytes();
  options.stop = invocation.stop();
  try {
    const FileReader a = open_to_look(paths[0]);
    const FileReader b = open_to_look(paths[1]);
    for (const FileReader* reader : {&a, &b}) {
      for (const std::string& doubt : doubts_about(*reader, "compared")) {
        invocation.log().warning(reader->name() + ": " + doubt);
      }
    }
    const Comparison comparison = compare(a, b, options);
    tell_unknown_banks(options.banks, a, invocation.log());
    tell_unknown_banks(options.banks, b, invocation.log());
    invocation.set_status(comparison.same() ? 0 : kDifferent);
    if (invocation.wants_report()) {
      report_comparison(comparison, paths, invocation);
    }
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) {
      throw;
    }
    invocation.complain(error);
    invocation.set_status(kCannotCompare);
  }
  return invocation.status();
}

}  // namespace

void add_diff(std::vector<Verb>& verbs) {
  const auto options = std::make_shared<CompareOptions>();
  Verb verb;
  verb.name = "diff";
  verb.purpose = "Inspect";
  verb.summary = "Say what differs between two files, whatever their layouts and codecs.";
  verb.usage = {"A B [OPTION...]"};
  verb.description =
      "Compares dictionary, configuration, tag registry, user words and reserved words, then the "
      "events: tags, banks, rows and values of all types. Two NaN are equal. Where the same events "
      "come in another order, it says so and compares no further.\n"
      "Exit codes: 0 the same; 1 different; 4 one of the files cannot be read, or not be compared "
      "as asked; 2 wrong usage.";
  verb.section("What to compare");
  verb.flag("--events-only", "Only events, not what the files say about themselves.",
            options->events_only);
  verb.flag(
      "--by-event-number",
      "Pair events with the same run and event number (RUN::config) and, where it helps, tag; "
      "else those at the same position are compared.",
      options->by_event_number);
  verb.option("-b,--banks", "LIST", "Only these banks: names or patterns, 'REC::*,RUN::config'.",
              [options](const std::string& list) { options->banks = split_list(list); });
  verb.option("--ignore", "LIST",
              "Banks or columns of no interest: 'REC::Event.startTime,HEL::*'. Patterns too.",
              [options](const std::string& list) { options->ignored = split_list(list); });
  verb.option("--tolerance", "ABSOLUTE[,RELATIVE]",
              "Floats a and b are equal where |a - b| is at most ABSOLUTE + RELATIVE * the larger "
              "of |a| and |b|. Default: all bits are compared.",
              [options](const std::string& text) { take_tolerances(text, *options); });
  verb.section("What to tell");
  verb.option("--max", "N", "At most N differences one by one; all are counted. Default: 10.",
              [options](const std::string& text) {
                options->differences_kept =
                    parse_number(text, 0, std::numeric_limits<std::uint32_t>::max());
              });
  verb.section("Running");
  add_threads(verb);
  add_memory(verb);
  verb.flag("-q,--quiet", "No text report: the exit code says it all.", verb.common->quiet);
  verb.section("Report");
  add_report(verb);
  verb.example("hipo-tool diff old.hipo new.hipo", "What has changed?")
      .example("hipo-tool diff -q in.hipo recooked.hipo && rm in.hipo",
               "Nothing lost? The exit code says it.")
      .example("hipo-tool diff a.hipo b.hipo -b 'REC::*' --tolerance 1e-5,1e-5",
               "Up to rounding, in some banks.");
  verb.run = [options, words = verb.operands](Invocation& invocation) {
    return run(*options, *words, invocation);
  };
  verbs.push_back(std::move(verb));
}

}  // namespace hipotool::app
