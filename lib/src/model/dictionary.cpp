#include "hipotool/dictionary.hpp"

#include "hipotool/error.hpp"

#include "format/structure.hpp"
#include "model/schema_parts.hpp"

#include <algorithm>
#include <charconv>

namespace hipotool {
inline namespace v0 {
namespace {

// Text structures end at the first NUL (docs/format.md 5.5).
std::string_view text_of(ByteSpan data) {
  const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
  return text.substr(0, text.find('\0'));
}

ByteSpan as_bytes(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

struct DictionaryTexts {
  std::optional<std::string_view> schema_text;
  std::optional<std::string_view> schema_json;
  std::optional<std::string_view> tag_names;
  std::optional<std::string_view> configuration_key;
  std::optional<std::string_view> configuration_value;
};

DictionaryTexts texts_of(const DictionaryEvent& event) {
  DictionaryTexts texts;
  const ByteSpan bytes(event);
  format::walk_structures(bytes, [&](const format::StructureHeader& header, std::size_t at) {
    const auto keep = [&](std::optional<std::string_view>& slot) {
      if (!slot) {  // readers take the first of repeated structures
        slot = text_of(bytes.subspan(at, header.size));
      }
    };
    if (header.key == format::kSchemaTextKey) {
      keep(texts.schema_text);
    } else if (header.key == format::kSchemaJsonKey) {
      keep(texts.schema_json);
    } else if (header.key == format::kTagNamesKey) {
      keep(texts.tag_names);
    } else if (header.key == format::kConfigurationKey) {
      keep(texts.configuration_key);
    } else if (header.key == format::kConfigurationValueKey) {
      keep(texts.configuration_value);
    }
  });
  return texts;
}

std::vector<TagName> parse_tag_names(std::string_view text) {
  std::vector<TagName> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = line.find('=');
    if (equals == line.npos) {
      continue;
    }
    const std::string_view name = model::trimmed(line.substr(0, equals));
    const std::string_view digits = model::trimmed(line.substr(equals + 1));
    unsigned bit = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bit);
    if (!name.empty() && error == std::errc{} && stop == digits.data() + digits.size() &&
        bit < 32) {
      names.push_back({std::string(name), static_cast<std::uint8_t>(bit)});
    }
  }
  return names;
}

DictionaryEvent begin_event() {
  return DictionaryEvent(format::kEventHeaderBytes);
}

DictionaryEvent finish_event(DictionaryEvent event) {
  format::store_event_header(static_cast<std::uint32_t>(event.size()), 0, 0, event.data());
  return event;
}

void require_text_fits(std::string_view text) {
  if (text.size() > format::kMaxBankBytes) {
    throw Error(ErrorCode::not_representable, "a dictionary text of " +
                                                  std::to_string(text.size()) +
                                                  " bytes exceeds the format's 16777215");
  }
}

}  // namespace

Dictionary::Dictionary(std::span<const DictionaryEvent> events) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    try {
      read_event(events[i], i);
    } catch (const Error& error) {
      notes_.push_back("dictionary event " + std::to_string(i) + " skipped: " + error.message());
    }
  }
}

Dictionary Dictionary::from_schemas(std::span<const Schema> schemas) {
  Dictionary dictionary;
  for (const Schema& schema : schemas) {
    const bool readable = schema.name().find_first_of("/,{}") == std::string::npos &&
                          Schema::parse_text(schema.text()) == schema;
    if (!readable) {
      throw Error(ErrorCode::invalid_argument,
                  "schema \"" + schema.name() + "\" cannot be written as text and read back");
    }
    dictionary.add(schema);
  }
  return dictionary;
}

void Dictionary::read_event(const DictionaryEvent& event, std::size_t index) {
  const DictionaryTexts texts = texts_of(event);
  try {
    if (texts.schema_text) {
      add(Schema::parse_text(*texts.schema_text));
    } else if (texts.schema_json) {
      add(Schema::parse_json(*texts.schema_json));
    }
  } catch (const Error& error) {
    notes_.push_back("dictionary event " + std::to_string(index) + " skipped: " + error.message());
  }
  if (texts.tag_names) {
    for (TagName& name : parse_tag_names(*texts.tag_names)) {
      const auto same = std::find_if(tag_names_.begin(), tag_names_.end(),
                                     [&](const TagName& known) { return known.name == name.name; });
      if (same == tag_names_.end()) {
        tag_names_.push_back(std::move(name));
      } else {
        same->bit = name.bit;
      }
    }
  }
  if (texts.configuration_value) {
    ConfigurationEntry entry{std::string(texts.configuration_key.value_or("")),
                             std::string(*texts.configuration_value)};
    const auto same = std::find_if(configuration_.begin(), configuration_.end(),
                                   [&](const ConfigurationEntry& known) {
                                     return !known.key.empty() && known.key == entry.key;
                                   });
    if (same == configuration_.end()) {
      configuration_.push_back(std::move(entry));
    } else {
      same->value = std::move(entry.value);
    }
  }
}

void Dictionary::add(Schema schema) {
  const std::size_t slot = schemas_.size();
  const BankKey key = schema.key();
  schemas_.push_back(std::move(schema));
  const auto [named, fresh] = by_name_.try_emplace(schemas_.back().name(), slot);
  if (fresh) {
    order_.push_back(slot);
  } else {
    // The newer schema takes the name; data under the older one's key stays readable.
    std::replace(order_.begin(), order_.end(), named->second, slot);
    named->second = slot;
  }
  by_key_.insert_or_assign(key, slot);
}

std::vector<const Schema*> Dictionary::schemas() const {
  std::vector<const Schema*> all;
  all.reserve(order_.size());
  for (const std::size_t slot : order_) {
    all.push_back(&schemas_[slot]);
  }
  return all;
}

const Schema* Dictionary::find(BankKey key) const noexcept {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &schemas_[found->second];
}

const Schema* Dictionary::find(std::string_view name) const noexcept {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : &schemas_[found->second];
}

std::string Dictionary::bank_name(BankKey key) const {
  const Schema* schema = find(key);
  return schema == nullptr ? to_string(key) : schema->name();
}

DictionaryEvent schema_event(const Schema& schema, bool with_json) {
  DictionaryEvent event = begin_event();
  // Java reads text only where its type byte says text; compact text alone is for oxihipo, which
  // writes it as a table (docs/format.md 6.1 and 11).
  const std::uint8_t type = with_json ? format::kTextType : format::kTableType;
  if (with_json) {
    const std::string json = schema.json_text();
    require_text_fits(json);
    format::append_structure(event, format::kSchemaJsonKey, type, as_bytes(json));
  }
  const std::string text = schema.text();
  require_text_fits(text);
  format::append_structure(event, format::kSchemaTextKey, type, as_bytes(text));
  return finish_event(std::move(event));
}

DictionaryEvent configuration_event(const ConfigurationEntry& entry) {
  require_text_fits(entry.key);
  require_text_fits(entry.value);
  DictionaryEvent event = begin_event();
  format::append_structure(event, format::kConfigurationKey, format::kTextType,
                           as_bytes(entry.key));
  format::append_structure(event, format::kConfigurationValueKey, format::kTextType,
                           as_bytes(entry.value));
  return finish_event(std::move(event));
}

DictionaryEvent tag_names_event(std::span<const TagName> names) {
  std::string text;
  for (const TagName& name : names) {
    const bool clean = !name.name.empty() &&
                       name.name.find_first_of("=\r\n") == std::string::npos &&
                       name.name.find('\0') == std::string::npos &&
                       model::trimmed(name.name).size() == name.name.size() && name.bit < 32;
    if (!clean) {
      throw Error(ErrorCode::invalid_argument,
                  "tag name \"" + name.name + "\" (bit " + std::to_string(name.bit) +
                      ") cannot be stored: names are not empty, hold no =, CR, LF or NUL and no "
                      "white space at an end; bits are 0 to 31");
    }
    text += name.name + "=" + std::to_string(name.bit) + "\n";
  }
  require_text_fits(text);
  DictionaryEvent event = begin_event();
  format::append_structure(event, format::kTagNamesKey, format::kTableType, as_bytes(text));
  return finish_event(std::move(event));
}

DictionaryEventKind kind_of(const DictionaryEvent& event) {
  DictionaryTexts texts;
  try {
    texts = texts_of(event);
  } catch (const Error&) {
    return DictionaryEventKind::other;
  }
  if (texts.schema_text || texts.schema_json) {
    return DictionaryEventKind::schema;
  }
  if (texts.tag_names) {
    return DictionaryEventKind::tag_names;
  }
  return texts.configuration_key || texts.configuration_value ? DictionaryEventKind::configuration
                                                              : DictionaryEventKind::other;
}

}  // namespace v0
}  // namespace hipotool
