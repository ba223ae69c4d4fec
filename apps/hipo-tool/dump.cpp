// hipo-tool dump: shows what is in a file; events as one JSON object a line.

#include "hipotool/error.hpp"
#include "hipotool/reader.hpp"
#include "hipotool/scan.hpp"

#include "arguments.hpp"
#include "event_json.hpp"
#include "invocation.hpp"
#include "options.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace {

struct DumpOptions {
  bool json = false;
  bool as_stored = false;
  std::optional<Int64Form> int64{};
  std::optional<std::uint64_t> count{};
  std::optional<NumberRange> range{};

  [[nodiscard]] bool says_how_events_look() const { return as_stored || int64 || count || range; }
};

// The events to show, zero-based, `end` excluded.
struct Selection {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Selection selection_of(const DumpOptions& options, std::uint64_t events) {
  const NumberRange range = options.range.value_or(NumberRange{});
  Selection selection{std::min(range.begin, events), std::min(range.end.value_or(events), events)};
  if (options.count) {
    selection.end = std::min(selection.end - selection.begin, *options.count) + selection.begin;
  }
  return selection;
}

// The number of each record's first event, and of one past the last.
std::vector<std::uint64_t> first_events(const FileReader& reader) {
  std::vector<std::uint64_t> numbers{0};
  for (const RecordEntry& entry : reader.records()) {
    numbers.push_back(numbers.back() + entry.header.event_count);
  }
  return numbers;
}

void dump_events(const FileReader& reader, const DumpOptions& options, Invocation& invocation) {
  const std::vector<std::uint64_t> first = first_events(reader);
  const Selection wanted = selection_of(options, first.back());
  if (wanted.begin >= wanted.end) {
    return;
  }
  const auto order = options.as_stored ? EventCursor::Order::as_stored : EventCursor::Order::by_key;
  const Int64Form form = options.int64.value_or(Int64Form::number);
  // Ended by us after the last event wanted, or from outside.
  std::stop_source enough;
  const std::stop_callback outer(invocation.stop(), [&enough] { enough.request_stop(); });
  bool complete = false;
  const auto make_text = [&](const Record& record, std::size_t index) {
    std::string text;
    EventCursor cursor(record, order);
    while (cursor.next()) {
      const std::uint64_t number = first[index] + cursor.event();
      if (number >= wanted.begin && number < wanted.end) {
        append_event_json(text, number, cursor, form);
      }
    }
    return text;
  };
  const auto write_text = [&](const std::string& text, std::size_t index) {
    if (complete) {
      return;
    }
    invocation.output().write(text);
    if (first[index + 1] >= wanted.end) {
      complete = true;
      enough.request_stop();
    }
  };
  try {
    scan(reader, Projection::everything(),
         {.threads = invocation.threads(),
          .memory_bytes = invocation.memory_bytes(),
          .stop = enough.get_token()},
         make_text, write_text);
  } catch (const Error&) {
    // What lies behind the last event wanted is nobody's business.
    if (!complete) {
      throw;
    }
  }
}

std::string stored_as(const FileReader& reader) {
  std::set<std::string> pairs;
  for (const RecordEntry& entry : reader.records()) {
    pairs.insert(std::string(to_string(entry.header.codec)) + "/" +
                 std::string(to_string(entry.header.layout)));
  }
  std::string text;
  for (const std::string& pair : pairs) {
    text += (text.empty() ? "" : ", ") + pair;
  }
  return text;
}

void dump_header(const FileReader& reader, ReportWriter& report) {
  const FileHeader& header = reader.header();
  const Dictionary& dictionary = reader.dictionary();
  report.begin_document("dump");
  report.field({"path"}, reader.name());
  report.field({"bytes", Unit::bytes}, reader.file_bytes());
  report.field({"id"}, header.id);
  report.field({"byte_order"}, std::string(header.big_endian ? "big-endian" : "little-endian"));
  report.field({"file_number", Unit::count}, std::uint64_t{header.file_number});
  report.field({"user_register", Unit::count}, header.user_register);
  report.field({"trailer_position", Unit::count}, header.trailer_position);
  report.field({"index"}, std::string(to_string(reader.index())));
  report.field({"index_reason"}, cell_or_null(reader.index_reason()));
  report.field({"records", Unit::count}, std::uint64_t{reader.records().size()});
  report.field({"empty_records", Unit::count}, reader.empty_records());
  report.field({"stored_as"}, cell_or_null(stored_as(reader)));
  report.field({"events", Unit::count}, reader.event_count());
  report.field({"dictionary_bytes", Unit::bytes}, std::uint64_t{header.dictionary_bytes});
  report.field({"schemas", Unit::count}, std::uint64_t{dictionary.schemas().size()});
  report.field({"configuration_entries", Unit::count},
               std::uint64_t{dictionary.configuration().size()});
  report.field({"tag_names", Unit::count}, std::uint64_t{dictionary.tag_names().size()});
  report.end_document();
}

int run(const DumpOptions& options, const std::vector<std::string>& words, Invocation& invocation) {
  if (words.size() != 1) {
    throw UsageError(words.empty() ? "no file given" : "one file at a time");
  }
  if (!options.json && (options.says_how_events_look() || invocation.has_running_options())) {
    throw UsageError(
        "-n, --events, --int64, --as-stored, -j and --memory are about events; add --json");
  }
  const FileReader reader{std::filesystem::path(words.front())};
  if (reader.index() != IndexState::valid) {
    invocation.log().warning(reader.name() + ": index " + std::string(to_string(reader.index())) +
                             " (" + reader.index_reason() + "); the records found are shown");
  }
  if (options.json) {
    dump_events(reader, options, invocation);
  } else {
    dump_header(reader, invocation.report());
  }
  return 0;
}

}  // namespace

void add_dump(std::vector<Verb>& verbs) {
  const auto options = std::make_shared<DumpOptions>();
  Verb verb;
  verb.name = "dump";
  verb.purpose = "Inspect";
  verb.summary = "Show what is in a file.";
  verb.usage = {"FILE", "FILE --json [OPTION...]"};
  verb.description =
      "Without options a summary of header, dictionary and records. With --json every event as one "
      "JSON "
      "object a line, in file order; the same for every layout and codec. Banks are ordered by "
      "group "
      "and item. docs/cli.md describes the keys.";
  verb.section("Events");
  verb.option("--json", "", "Show events.", [options, &common = *verb.common](const std::string&) {
    options->json = true;
    common.format = ReportFormat::json;
  });
  verb.option("-n", "N", "The first N events (of the range, if there is one).",
              [options](const std::string& text) {
                options->count = parse_number(text, 0, std::numeric_limits<std::uint64_t>::max());
              });
  verb.option("--events", "A:B", "Events A to B-1, counted from 0; either may be left out.",
              [options](const std::string& text) { options->range = parse_range(text); });
  verb.option("--int64", "WORD",
              "How 64-bit integers are written: number (default), or string for readers that round "
              "above 2^53, such as jq 1.6.",
              [options](const std::string& word) {
                if (word != "number" && word != "string") {
                  throw UsageError("'" + word + "' is none of number, string");
                }
                options->int64 = word == "string" ? Int64Form::string : Int64Form::number;
              });
  verb.flag("--as-stored", "Banks in the order of the file.", options->as_stored);
  verb.section("Running");
  add_threads(verb);
  add_memory(verb);
  verb.example("hipo-tool dump in.hipo", "A summary.")
      .example("hipo-tool dump --json -n 1 in.hipo | jq .", "The first event, for reading.")
      .example(
          "hipo-tool dump --json in.hipo | jq '.banks[] | select(.name == "
          "\"REC::Particle\").columns.pid'",
          "One column of one bank.");
  verb.run = [options, words = verb.operands](Invocation& invocation) {
    return run(*options, *words, invocation);
  };
  verbs.push_back(std::move(verb));
}

}  // namespace hipotool::app
