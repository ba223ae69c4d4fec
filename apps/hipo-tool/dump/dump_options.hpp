#pragma once
// What the command line of dump asks for.

#include "dump/event_form.hpp"
#include "inputs.hpp"
#include "invocation.hpp"
#include "options.hpp"
#include "rewriting/selection_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hipotool::app {

enum class View : std::uint8_t { header, records, schema, config, tags, streams };
enum class SchemaForm : std::uint8_t { table, compact, json };
enum class EventOutput : std::uint8_t { tables, json, csv, tsv };

struct DumpOptions {
  // The views asked for; more than one is wrong usage.
  std::vector<View> views{};
  std::uint64_t streams_record = 0;
  std::optional<SchemaForm> schema_form{};

  SelectionOptions events{};
  std::vector<std::string> banks{};
  std::vector<std::string> columns{};
  std::optional<std::string> rows{};

  bool tsv = false;
  bool as_stored = false;
  std::optional<Int64Form> int64{};

  InputOptions inputs{};
  std::optional<std::string> dictionary_file{};
};

// What is to be shown of each file: a view, or events in some form.
struct DumpTask {
  std::optional<View> view{};
  EventOutput events = EventOutput::tables;
};

// Throws UsageError for what does not go together.
[[nodiscard]] DumpTask resolve(const DumpOptions& options, const Invocation& invocation);

void add_dump_options(Verb& verb, DumpOptions& options);

}  // namespace hipotool::app
