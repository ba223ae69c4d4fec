// hipo-tool dump: shows what is in files. This file goes from file to file; what is shown of each
// is found and made by its neighbours.

#include "hipotool/error.hpp"
#include "hipotool/names.hpp"
#include "hipotool/reader.hpp"

#include "arguments.hpp"
#include "dump/dump_options.hpp"
#include "dump/events.hpp"
#include "dump/file_view.hpp"
#include "inputs.hpp"
#include "invocation.hpp"
#include "reading.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace {

namespace fs = std::filesystem;

struct OpenFile {
  FileReader reader;
  // Of a record header among the records; those before it and behind it are there all the same.
  std::optional<Error> damage{};
};

OpenFile open(const fs::path& path, ReaderOptions how, std::uint64_t memory_bytes) {
  try {
    return {open_to_look(path, how)};
  } catch (const Error& error) {
    const bool lies_among_records = error.context().record.has_value() &&
                                    error.code() != ErrorCode::io &&
                                    error.code() != ErrorCode::changed;
    if (!lies_among_records) {
      throw;
    }
    how.salvage = true;
    how.salvage_bytes = memory_bytes;
    return {FileReader(path, how), error};
  }
}

void tell_doubts(const OpenFile& file, Log& log) {
  for (const std::string& doubt : doubts_about(file.reader, "shown")) {
    log.warning(file.reader.name() + ": " + doubt);
  }
}

std::vector<const Schema*> schemas_of(const FileReader& reader, const DumpOptions& options) {
  if (options.banks.empty()) {
    return reader.dictionary().schemas();
  }
  return with_context([&] { return ErrorContext{.path = reader.name()}; },
                      [&] {
                        for (const std::string& pattern : options.banks) {
                          if (find_schemas(reader.dictionary(), {pattern}).empty()) {
                            throw Error(ErrorCode::not_found,
                                        "no bank matches " + pattern + " in the dictionary");
                          }
                        }
                        return find_schemas(reader.dictionary(), options.banks);
                      });
}

FileView view_of(const FileReader& reader, View view, const DumpOptions& options,
                 std::uint64_t memory_bytes) {
  switch (view) {
    case View::header:
      return header_view(reader);
    case View::records:
      return records_view(reader, memory_bytes);
    case View::schema:
      return schema_view(schemas_of(reader, options));
    case View::config:
      return configuration_view(reader.dictionary());
    case View::tags:
      return tag_names_view(reader.dictionary());
    case View::streams:
      break;
  }
  return streams_view(reader, options.streams_record, memory_bytes);
}

std::string schema_texts(const std::vector<const Schema*>& schemas, SchemaForm form) {
  std::string texts;
  for (const Schema* schema : schemas) {
    texts += (form == SchemaForm::json ? schema->json_text() : schema->text()) + "\n";
  }
  return texts;
}

class Dump {
 public:
  Dump(const DumpOptions& options, DumpTask task, bool several_files, Invocation& invocation)
      : options_(options),
        task_(task),
        invocation_(invocation),
        events_(options, task.events, several_files, invocation) {
    if (options.dictionary_file) {
      const FileReader other{fs::path(*options.dictionary_file)};
      if (other.dictionary().schemas().empty()) {
        throw Error(ErrorCode::not_found, "has no schema to borrow", {.path = other.name()});
      }
      how_.borrowed_dictionary = other.dictionary_events();
    }
  }

  void add(const fs::path& path) {
    const OpenFile file = open(path, how_, invocation_.memory_bytes());
    tell_doubts(file, invocation_.log());
    try {
      show_file(file.reader);
    } catch (const Error&) {
      tell_damage(file);
      throw;
    }
    tell_damage(file);
  }

  [[nodiscard]] bool is_complete() const { return !task_.view && events_.is_complete(); }
  void tell_special() const { events_.tell_special(invocation_.log()); }

 private:
  void show_file(const FileReader& reader) {
    if (!task_.view) {
      events_.add(reader);
    } else if (options_.schema_form.value_or(SchemaForm::table) != SchemaForm::table) {
      const std::string texts = schema_texts(schemas_of(reader, options_), *options_.schema_form);
      as_output([&] { invocation_.output().write(texts); });
    } else {
      show_view(
          with_context(
              [&] { return ErrorContext{.path = reader.name()}; },
              [&] { return view_of(reader, *task_.view, options_, invocation_.memory_bytes()); }),
          reader);
    }
  }

  // Damage is told last, since what could be shown would hide it otherwise.
  void tell_damage(const OpenFile& file) {
    if (!file.damage) {
      return;
    }
    invocation_.flush_before_failing();
    invocation_.set_status(1);
    invocation_.complain(*file.damage);
  }

  template <typename Write>
  static void as_output(const Write& write) {
    try {
      write();
    } catch (const Error& error) {
      throw OutputFailure{error};
    }
  }

  void show_view(const FileView& view, const FileReader& reader) {
    as_output([&] {
      const bool as_text = invocation_.format() == ReportFormat::text;
      if (as_text && !std::exchange(first_, false)) {
        invocation_.output().write("\n");
      }
      show(view, reader.name(), invocation_.format(), invocation_.report());
      if (as_text && !view.table.empty() && view.rows.empty()) {
        invocation_.output().write("none\n");
      }
    });
    for (const Error& problem : view.problems) {
      invocation_.set_status(1);
      invocation_.complain(problem);
    }
  }

  const DumpOptions& options_;
  DumpTask task_;
  Invocation& invocation_;
  EventDump events_;
  ReaderOptions how_{};
  bool first_ = true;
};

int run(const DumpOptions& options, const std::vector<std::string>& words, Invocation& invocation) {
  invocation.advise_on_damage(kDamageAdvice);
  const DumpTask task = resolve(options, invocation);
  const std::vector<fs::path> files = expand_inputs(words, options.inputs);
  invocation.open_report(files);
  Dump dump(options, task, files.size() > 1, invocation);
  for (const fs::path& file : files) {
    try {
      dump.add(file);
    } catch (const OutputFailure& failure) {
      throw failure.error;
    } catch (const Error& error) {
      if (files.size() == 1 || error.code() == ErrorCode::cancelled) {
        throw;
      }
      // The others are shown all the same.
      invocation.output().flush();
      invocation.set_status(1);
      invocation.complain(error);
    }
    if (dump.is_complete()) {
      break;
    }
  }
  dump.tell_special();
  return invocation.status();
}

}  // namespace

void add_dump(std::vector<Verb>& verbs) {
  const auto options = std::make_shared<DumpOptions>();
  Verb verb;
  verb.name = "dump";
  verb.purpose = "Inspect";
  verb.summary = "Show what is in files: views of the file, or its events.";
  verb.usage = {"FILE... [VIEW]", "FILE... [EVENTS...] [--json|--csv|--tsv]"};
  verb.description =
      "Without options a summary of header, dictionary and records. An option that chooses events, "
      "banks or columns shows events, as tables for people; --json, --csv and --tsv show them for "
      "programs. The same for every layout and codec. Of split layouts only what is wanted is "
      "read.\n"
      "Special events (tag 1: scalers; --special) are chosen by their tags alone: what other "
      "options ask of content does not concern them, and -n does not count them. With --only they "
      "are events like others. Nothing outside of --events or behind the last event of -n is "
      "shown. -b, --columns and --rows say what is shown of all events.\n"
      "Files may be patterns and folders. A file that fails does not keep the others from being "
      "shown; the exit code is 1 then. docs/cli.md describes every form.";
  add_dump_options(verb, *options);
  verb.example("hipo-tool dump in.hipo", "A summary.")
      .example("hipo-tool dump --events 0:1 in.hipo", "The first event, for reading.")
      .example("hipo-tool dump -b 'REC::*,RUN::config' --events 100:110 in.hipo",
               "Some banks of ten events.")
      .example("hipo-tool dump --csv --columns REC::Particle.pid,REC::Particle.p? in.hipo",
               "Columns of one bank, a line a row.")
      .example("hipo-tool dump --json --where 'count(REC::Particle, pid == 11) > 1' in.hipo | jq .",
               "Events with two electrons.")
      .example("hipo-tool dump --records *.hipo", "How the records of many files are stored.");
  verb.run = [options, words = verb.operands](Invocation& invocation) {
    return run(*options, *words, invocation);
  };
  verbs.push_back(std::move(verb));
}

}  // namespace hipotool::app
