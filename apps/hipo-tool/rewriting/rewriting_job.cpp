#include "rewriting/rewriting_job.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/definitions.hpp"
#include "hipotool/error.hpp"

#include "invocation.hpp"
#include "rewriting/rewriting_options.hpp"
#include "rewriting/streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace hipotool::app {

namespace fs = std::filesystem;

namespace {

// The dictionary of another file, for inputs that have none.
std::vector<DictionaryEvent> borrowed_dictionary(const std::optional<std::string>& from) {
  if (!from) {
    return {};
  }
  const FileReader lender{fs::path(*from)};
  if (lender.dictionary().schemas().empty()) {
    throw Error(ErrorCode::not_found, "--dict: it has no schema to borrow",
                {.path = lender.name()});
  }
  return lender.dictionary_events();
}

// The registry of another file takes the place of those of the inputs.
void borrow_tag_names(RewritingJob& job, const RewritingOptions& options) {
  if (!options.selecting.tags_from || options.merge.drop_configuration) {
    return;
  }
  if (options.merge.readable_by == PeerReader::cpp) {
    throw UsageError(
        "--tags-from writes a registry, on which C++ hipo4 crashes; --drop-config leaves it out");
  }
  define_tag_names(job.dictionary.events, tag_names_in(*options.selecting.tags_from));
}

}  // namespace

bool has_stream(const RewritingJob& job) {
  return std::any_of(job.inputs.begin(), job.inputs.end(),
                     [](const FileReader* input) { return input->is_stream(); });
}

void open_inputs(RewritingJob& job, const RewritingOptions& options, Invocation& invocation) {
  Log& log = invocation.log();
  const ReaderOptions reading{.salvage = options.salvage,
                              .salvage_bytes = invocation.memory_bytes(),
                              .borrowed_dictionary = borrowed_dictionary(options.dictionary)};
  bool borrowed = false;
  for (const fs::path& path : job.operands.inputs) {
    const FileReader& input = *job.readers.emplace_back(open_input(path, reading, invocation));
    job.inputs.push_back(&input);
    borrowed = borrowed || input.has_borrowed_dictionary();
    if (input.index() == IndexState::cut && !options.salvage) {
      throw Error(ErrorCode::truncated,
                  "the file was longer once: " + input.index_reason() +
                      "; what is missing cannot be told, so nothing was written (--salvage takes "
                      "what is there)",
                  {.path = input.name()});
    }
    if (input.appended() && !options.salvage) {
      const std::uint64_t offset = input.appended()->offset;
      throw Error(
          ErrorCode::corrupt,
          fmt::format("{}, so nothing was written; cut the file in two there (head -c {}, "
                      "tail -c +{}) and give both (--salvage takes those of files with the same "
                      "dictionary)",
                      to_string(*input.appended()), offset, offset + 1),
          {.path = input.name(), .record_offset = offset});
    }
    tell_index(input, log);
    if (input.stray_bytes() > 0 && !input.appended()) {
      log.warning(fmt::format("{}: {} after the trailer {} to nothing and {} left out",
                              input.name(), counted(input.stray_bytes(), "byte"),
                              verb_of(input.stray_bytes(), "belongs", "belong"),
                              verb_of(input.stray_bytes(), "is", "are")));
    }
    for (const std::string& note : input.dictionary().notes()) {
      log.warning(fmt::format("{}: {}", input.name(), note));
    }
  }
  if (options.dictionary && !borrowed) {
    log.warning(fmt::format("--dict: every input has a dictionary of its own; {} was not needed",
                            *options.dictionary));
  }
}

void plan_banks(RewritingJob& job, const RewritingOptions& options, Log& log) {
  if (!is_given(options.banks)) {
    return;
  }
  if (options.banks.drop_unused_schemas && has_stream(job)) {
    throw UsageError("--unused-schemas drop reads the inputs twice, and '-' can be read but once");
  }
  BankEdit edit = options.banks.edit;
  edit.special = options.selecting.selection.special;
  edit.only = options.selecting.selection.only;
  if (options.banks.definitions) {
    edit.definitions = read_definitions(*options.banks.definitions);
  }
  job.editor = std::make_unique<BankEditor>(edit, job.inputs);
  job.rewrite.editor = job.editor.get();
  for (const std::string& warning : job.editor->warnings()) {
    log.warning(warning);
  }
  if (options.banks.drop_unused_schemas) {
    job.editor->drop_unused_schemas(job.rewrite.threads, job.rewrite.memory_bytes,
                                    job.rewrite.stop);
  }
}

void plan_dictionary(RewritingJob& job, const RewritingOptions& options) {
  MergeOptions merge = options.merge;
  merge.drop_tag_names = options.selecting.tags_from.has_value();
  if (job.editor != nullptr) {
    merge.events_of = [&job](const FileReader& input) -> const std::vector<DictionaryEvent>& {
      return job.editor->dictionary_events(input);
    };
  }
  job.dictionary = merge_dictionaries(job.inputs, merge);
  borrow_tag_names(job, options);
}

std::vector<TagName> names_for(const RewritingJob& job, const RewritingOptions& options) {
  if (!options.merge.drop_configuration) {
    return Dictionary(job.dictionary.events).tag_names();
  }
  if (options.selecting.tags_from) {
    return tag_names_in(*options.selecting.tags_from);
  }
  std::vector<TagName> names;
  for (const FileReader* input : job.inputs) {
    for (const TagName& name : input->dictionary().tag_names()) {
      names.push_back(name);
    }
  }
  return names;
}

Selection selection_for(const RewritingJob& job, const RewritingOptions& options) {
  return selection_of(options.selecting, names_for(job, options));
}

void tell_index(const FileReader& input, Log& log) {
  if (input.index() != IndexState::valid) {
    log.warning(fmt::format("{}: index {} ({}); rebuilt from the {} found", input.name(),
                            to_string(input.index()), input.index_reason(),
                            counted(input.records().size(), "record")));
  }
}

}  // namespace hipotool::app
