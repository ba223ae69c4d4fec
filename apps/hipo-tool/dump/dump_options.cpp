#include "dump/dump_options.hpp"

#include <limits>
#include <utility>

namespace hipotool::app {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// Options that choose events or parts of them; any of them asks for events.
bool asks_for_events(const DumpOptions& options) {
  return is_given(options.events) || !options.banks.empty() || !options.columns.empty() ||
         options.rows;
}

EventOutput event_output(const DumpOptions& options, ReportFormat format) {
  if (options.tsv && format != ReportFormat::text) {
    throw UsageError("--tsv: another output format was given before");
  }
  switch (format) {
    case ReportFormat::json:
      return EventOutput::json;
    case ReportFormat::csv:
      return EventOutput::csv;
    case ReportFormat::markdown:
      throw UsageError("events have no form in markdown; --format text, json, csv or --tsv");
    case ReportFormat::text:
      break;
  }
  return options.tsv ? EventOutput::tsv : EventOutput::tables;
}

// Options about how events are read and written do not ask for events by themselves.
bool tunes_events(const DumpOptions& options, const Invocation& invocation) {
  return options.as_stored || options.int64 || invocation.has_running_options();
}

void refuse_event_options(const DumpOptions& options, const Invocation& invocation, View view) {
  DumpOptions others = options;
  if (view == View::schema) {
    others.banks.clear();
  }
  if (asks_for_events(others) || options.tsv || tunes_events(options, invocation)) {
    throw UsageError(
        "a view of the file shows no events, so options that choose them, -b, --columns, --rows, "
        "--tsv, --int64, --as-stored, -j and --memory mean nothing with it (but -b with "
        "--schema)");
  }
}

void require_special_effect(const SelectionOptions& events) {
  const Selection& selection = events.selection;
  const bool given = selection.only || selection.special != Selection{}.special;
  if (given && !chooses_events(events) && !events.has_range) {
    throw UsageError("--special and --only need an option that chooses events");
  }
}

void require_consistent(const DumpOptions& options, EventOutput output) {
  if (options.int64 && output != EventOutput::json) {
    throw UsageError("--int64 is about JSON; add --json");
  }
  if (options.as_stored && (output == EventOutput::csv || output == EventOutput::tsv)) {
    throw UsageError("--as-stored is about the order of banks, and CSV and TSV show one bank");
  }
}

void add_views(Verb& verb, DumpOptions& options) {
  const auto view = [&](std::string name, std::string help, View which) {
    verb.option(std::move(name), "", std::move(help),
                [&options, which](const std::string&) { options.views.push_back(which); });
  };
  verb.section("Views of the file (one at a time)");
  view("--header", "File header, index, numbers of things. Shown without any option.",
       View::header);
  view("--records",
       "A line a record: where it is, sizes, events, user words, codec, layout, version of the "
       "split section.",
       View::records);
  view("--schema", "A line a column of the dictionary's banks, all or those of -b.", View::schema);
  verb.option("--schema-form", "WORD",
              "Instead of that: compact or json, one schema a line, as dictionaries hold them. "
              "Default: table.",
              [&options](const std::string& word) {
                if (word != "table" && word != "compact" && word != "json") {
                  throw UsageError("'" + word + "' is none of table, compact, json");
                }
                options.schema_form = word == "table"     ? SchemaForm::table
                                      : word == "compact" ? SchemaForm::compact
                                                          : SchemaForm::json;
              })
      .choices({"table", "compact", "json"});
  view("--config", "Configuration entries.", View::config);
  view("--tags", "Names of event tags.", View::tags);
  verb.option("--streams", "RECORD",
              "A line a compressed piece of a record (counted from 0): bank, column, sizes, codec, "
              "encoding, whether it has a checksum.",
              [&options](const std::string& text) {
                options.streams_record = parse_number(text, 0, kMost);
                options.views.push_back(View::streams);
              });
}

void add_parts_of_events(Verb& verb, DumpOptions& options) {
  verb.section("What of events");
  const auto append = [](std::vector<std::string>& to, const std::string& list) {
    for (std::string& word : split_list(list)) {
      if (word.empty()) {
        throw UsageError("a name is empty");
      }
      to.push_back(std::move(word));
    }
  };
  verb.repeatable_option(
      "-b,--banks", "LIST",
      "Of events only these banks: names, GROUP/ITEM, or patterns of * and ?.",
      [&options, append](const std::string& list) { append(options.banks, list); });
  verb.repeatable_option(
      "--columns", "LIST",
      "Of banks only these columns: names or patterns, for all banks chosen or as "
      "BANK.column.",
      [&options, append](const std::string& list) { append(options.columns, list); });
  verb.option(
      "--rows", "CONDITION",
      "Of the one bank chosen only these rows: 'pid == 11 && pz > 1', with the names of its "
      "columns (docs/expressions.md). Events without such a row are left out.",
      [&options](const std::string& text) { options.rows = text; });
}

void add_form_of_events(Verb& verb, DumpOptions& options) {
  verb.section("Form");
  add_report(verb);
  verb.flag("--tsv", "Events: tab-separated, otherwise like CSV.", options.tsv);
  verb.option("--int64", "WORD",
              "How JSON has 64-bit integers: number (default), or string for readers that round "
              "above 2^53, such as jq 1.6.",
              [&options](const std::string& word) {
                if (word != "number" && word != "string") {
                  throw UsageError("'" + word + "' is none of number, string");
                }
                options.int64 = word == "string" ? Int64Form::string : Int64Form::number;
              })
      .choices({"number", "string"});
  verb.flag("--as-stored", "Banks in the order of the file.", options.as_stored);
}

}  // namespace

DumpTask resolve(const DumpOptions& options, const Invocation& invocation) {
  if (options.views.size() > 1) {
    throw UsageError("one view at a time");
  }
  const ReportFormat format = invocation.format();
  if (options.schema_form && (options.views.empty() || options.views.front() != View::schema)) {
    throw UsageError("--schema-form is about --schema");
  }
  if (options.schema_form.value_or(SchemaForm::table) != SchemaForm::table &&
      format != ReportFormat::text) {
    throw UsageError("--schema-form compact and json are forms by themselves, without --format");
  }
  if (!options.views.empty()) {
    refuse_event_options(options, invocation, options.views.front());
    return {.view = options.views.front()};
  }
  const bool as_lines = format == ReportFormat::json || format == ReportFormat::csv || options.tsv;
  if (as_lines || asks_for_events(options)) {
    require_effects(options.events);
    require_special_effect(options.events);
    const EventOutput output = event_output(options, format);
    require_consistent(options, output);
    return {.events = output};
  }
  if (tunes_events(options, invocation)) {
    throw UsageError(
        "--int64, --as-stored, -j and --memory are about events; --json or --events : shows them");
  }
  return {.view = View::header};
}

void add_dump_options(Verb& verb, DumpOptions& options) {
  add_views(verb, options);
  add_selection(verb, options.events, PositionsOver::each_file);
  add_parts_of_events(verb, options);
  add_form_of_events(verb, options);
  verb.section("Files");
  add_filelist(verb, options.inputs);
  verb.option("--dict", "FILE",
              "A HIPO file whose dictionary is used where a file has no schema of its own.",
              [&options](const std::string& path) { options.dictionary_file = path; });
  verb.section("Running");
  add_threads(verb);
  add_memory(verb);
}

}  // namespace hipotool::app
