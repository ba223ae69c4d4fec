#include "hipotool/merge.hpp"

#include "hipotool/error.hpp"

#include "format/constants.hpp"
#include "format/structure.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace hipotool {
inline namespace v0 {
namespace {

// The schema of a dictionary event, where it has one that parses.
std::optional<Schema> schema_of(const DictionaryEvent& event) {
  const Dictionary one(std::span{&event, 1});
  const auto schemas = one.schemas();
  return schemas.empty() ? std::nullopt : std::optional(*schemas.front());
}

struct Origin {
  Schema schema;
  const FileReader* file;
};

[[noreturn]] void conflict(const Origin& first, const Schema& second, const FileReader& file) {
  throw Error(ErrorCode::invalid_argument,
              "cannot merge: " + first.file->name() + " has " + first.schema.text() + ", " +
                  file.name() + " has " + second.text() + "; --rename " + second.name() +
                  "=NEW:GROUP/ITEM gives one of them another name and id");
}

class Merger {
 public:
  explicit Merger(const MergeOptions& options) : options_(options) {}

  void add(const FileReader& file) {
    const bool first = known_.empty() && merged_.events.empty();
    std::vector<Origin> fresh;
    const std::vector<DictionaryEvent>& events =
        options_.events_of ? options_.events_of(file) : file.dictionary_events();
    const Dictionary own(events);
    for (const DictionaryEvent& event : events) {
      switch (kind_of(event)) {
        case DictionaryEventKind::schema:
          add_schema(event, file, own, first, fresh);
          break;
        case DictionaryEventKind::tag_names:
          if (!options_.drop_configuration && !options_.drop_tag_names) {
            add_tag_names(event, file, first);
          }
          break;
        case DictionaryEventKind::configuration:
          if (!options_.drop_configuration) {
            add_configuration(event, file, first);
          }
          break;
        case DictionaryEventKind::other:
          add_event(event, first);
          break;
      }
    }
    // Contradictions inside one input are carried; only those between inputs are errors.
    origins_.insert(origins_.end(), fresh.begin(), fresh.end());
  }

  MergedDictionary finish() {
    if (registry_grew_) {
      merged_.events[registry_at_.value()] = tag_names_event(tag_names_);
    }
    return std::move(merged_);
  }

 private:
  // The first input's events all stay, repeated ones too.
  void add_event(const DictionaryEvent& event, bool first) {
    if (known_.insert(event).second || first) {
      merged_.events.push_back(event);
    }
  }

  void add_schema(const DictionaryEvent& event, const FileReader& file, const Dictionary& own,
                  bool first, std::vector<Origin>& fresh) {
    const std::optional<Schema> schema = schema_of(event);
    if (!schema) {
      add_event(event, first);
      return;
    }
    const Origin* twin = nullptr;
    const Origin* rival = nullptr;
    for (const Origin& origin : origins_) {
      if (origin.schema == *schema) {
        twin = &origin;
      } else if (origin.schema.name() == schema->name() || origin.schema.key() == schema->key()) {
        rival = &origin;
      }
    }
    // A dictionary that contradicts itself may come with every file of a run: then the same of its
    // schemas must win.
    if (rival != nullptr && (twin == nullptr || !wins_as_before(*schema, own))) {
      conflict(*rival, *schema, file);
    }
    if (twin == nullptr) {
      add_event(event, first);
    }
    fresh.push_back({*schema, &file});
  }

  // Whether key and name of `schema` mean in `own` what they mean in all inputs before.
  [[nodiscard]] bool wins_as_before(const Schema& schema, const Dictionary& own) const {
    const Dictionary before(merged_.events);
    const auto equal = [](const Schema* a, const Schema* b) {
      return a != nullptr && b != nullptr && *a == *b;
    };
    return equal(before.find(schema.key()), own.find(schema.key())) &&
           equal(before.find(schema.name()), own.find(schema.name()));
  }

  void add_tag_names(const DictionaryEvent& event, const FileReader& file, bool first) {
    const Dictionary one(std::span{&event, 1});
    const auto contradicts = [](const TagName& a, const TagName& b) {
      return (a.name == b.name) != (a.bit == b.bit);
    };
    for (const TagName& name : one.tag_names()) {
      if (std::find(tag_names_.begin(), tag_names_.end(), name) != tag_names_.end()) {
        continue;
      }
      const auto clash =
          std::find_if(tag_names_.begin(), tag_names_.end(),
                       [&](const TagName& known) { return contradicts(known, name); });
      if (clash != tag_names_.end() && !first) {
        throw Error(ErrorCode::invalid_argument,
                    "cannot merge: the tag name " + name.name + "=" + std::to_string(name.bit) +
                        " of " + file.name() + " contradicts " + clash->name + "=" +
                        std::to_string(clash->bit) + " of an earlier input");
      }
      tag_names_.push_back(name);
      registry_grew_ = registry_grew_ || registry_at_.has_value();
    }
    if (!registry_at_) {
      registry_at_ = merged_.events.size();
      merged_.events.push_back(event);
    } else if (first) {
      merged_.events.push_back(event);  // a second registry of one file stays as it is
      registry_grew_ = false;
    }
  }

  void add_configuration(const DictionaryEvent& event, const FileReader& file, bool first) {
    const Dictionary one(std::span{&event, 1});
    if (one.configuration().empty() || one.configuration().front().key.empty()) {
      add_event(event, first);
      return;
    }
    const ConfigurationEntry& entry = one.configuration().front();
    const auto [known, fresh] = configuration_.try_emplace(entry.key, entry.value, &file);
    if (fresh || first) {
      known->second = {entry.value, &file};
      add_event(event, first);
      return;
    }
    if (known->second.first == entry.value) {
      return;
    }
    const std::string what = "configuration \"" + entry.key + "\" of " + file.name() +
                             " differs from that of " + known->second.second->name();
    if (options_.strict_configuration) {
      throw Error(ErrorCode::invalid_argument, "cannot merge: " + what);
    }
    merged_.notes.push_back(what + ", which stays");
  }

  const MergeOptions& options_;
  MergedDictionary merged_;
  std::set<DictionaryEvent> known_;
  std::vector<Origin> origins_;
  std::vector<TagName> tag_names_;
  std::optional<std::size_t> registry_at_;
  bool registry_grew_ = false;
  std::map<std::string, std::pair<std::string, const FileReader*>> configuration_;
};

bool has_array(const Schema& schema) {
  return std::any_of(schema.columns().begin(), schema.columns().end(),
                     [](const Column& column) { return column.length > 1; });
}

// Ids above these are negative for Java (docs/format.md section 11).
bool java_finds(BankKey key) {
  return key.group <= 32767 && key.item <= 127;
}

[[noreturn]] void no_form(PeerReader reader, const std::string& what) {
  throw Error(ErrorCode::not_representable, std::string("no form for ") +
                                                (reader == PeerReader::cpp ? "C++ hipo4" : "Java") +
                                                ": " + what);
}

// Schemas as C++ and Java need them; the rest only where the reader survives it.
std::vector<DictionaryEvent> rewritten_for(PeerReader reader,
                                           const std::vector<DictionaryEvent>& events) {
  std::vector<DictionaryEvent> rewritten;
  for (const DictionaryEvent& event : events) {
    if (kind_of(event) != DictionaryEventKind::schema) {
      if (reader == PeerReader::cpp) {
        no_form(reader,
                "configuration or tag registry, on which it crashes; drop them with "
                "--drop-config");
      }
      rewritten.push_back(event);
      continue;
    }
    const std::optional<Schema> schema = schema_of(event);
    if (!schema) {
      no_form(reader, "a schema that does not parse");
    }
    if (has_array(*schema)) {
      no_form(reader, "the array columns of " + schema->text());
    }
    if (reader == PeerReader::java && !java_finds(schema->key())) {
      no_form(reader, "the id of " + schema->name() + ", " + to_string(schema->key()) +
                          ": groups above 32767 and items above 127 are lost");
    }
    rewritten.push_back(schema_event(*schema, true));
  }
  return rewritten;
}

struct SchemaTexts {
  bool text = false;
  bool json = false;
  bool typed_as_text = true;  // both, where there
};

SchemaTexts schema_texts(const DictionaryEvent& event) {
  SchemaTexts texts;
  const auto note = [&](const format::StructureHeader& header, std::size_t /*at*/) {
    const bool text = header.key == format::kSchemaTextKey;
    const bool json = header.key == format::kSchemaJsonKey;
    texts.text = texts.text || text;
    texts.json = texts.json || json;
    if (text || json) {
      texts.typed_as_text = texts.typed_as_text && header.type == format::kTextType;
    }
  };
  try {
    format::walk_structures(ByteSpan(event), note);
  } catch (const Error&) {
    return {};
  }
  return texts;
}

void add_reason(std::string& reasons, const std::string& reason) {
  if (reasons.find(reason) == std::string::npos) {
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
}

}  // namespace

std::optional<PeerReader> parse_peer_reader(std::string_view word) noexcept {
  if (word == "cpp") {
    return PeerReader::cpp;
  }
  if (word == "java") {
    return PeerReader::java;
  }
  return std::nullopt;
}

MergedDictionary merge_dictionaries(std::span<const FileReader* const> inputs,
                                    const MergeOptions& options) {
  Merger merger(options);
  for (const FileReader* input : inputs) {
    merger.add(*input);
  }
  MergedDictionary merged = merger.finish();
  if (options.readable_by) {
    merged.events = rewritten_for(*options.readable_by, merged.events);
  }
  return merged;
}

Readers readers_of(const Dictionary& dictionary, std::span<const DictionaryEvent> events,
                   std::span<const Compression> compressions) {
  Readers readers;
  for (const Compression& compression : compressions) {
    const ReadableBy by = readable_by(compression);
    const std::string stored = std::string(to_string(compression.codec)) + "/" +
                               std::string(to_string(compression.layout)) + " records";
    if (!by.cpp_hipo4) {
      add_reason(readers.cpp, stored);
    }
    if (!by.java) {
      add_reason(readers.java, stored);
    }
    if (by.oxihipo_since.empty()) {
      add_reason(readers.oxihipo, "per-column version 3, which the published 0.9.0 refuses");
    }
  }
  for (const DictionaryEvent& event : events) {
    const SchemaTexts texts = schema_texts(event);
    if (!texts.text) {
      add_reason(readers.cpp, "dictionary events without schema text (configuration, tag names)");
    }
    if ((texts.text || texts.json) && (!texts.json || !texts.typed_as_text)) {
      add_reason(readers.java, "schemas without JSON");
    }
  }
  for (const Schema* schema : dictionary.schemas()) {
    if (has_array(*schema)) {
      add_reason(readers.cpp, "array columns");
      add_reason(readers.java, "array columns");
    }
    if (!java_finds(schema->key())) {
      add_reason(readers.java, "bank ids above 32767/127");
    }
  }
  return readers;
}

}  // namespace v0
}  // namespace hipotool
