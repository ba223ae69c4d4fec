#pragma once
// What a file says about itself: schemas, configuration entries and the event-tag registry, all
// from the events of its dictionary record (docs/format.md, section 6). Immutable once made;
// references and pointers to its schemas live as long as the Dictionary, also when it is moved.

#include "hipotool/bytes.hpp"
#include "hipotool/schema.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hipotool {
inline namespace v0 {

// The bytes of one little-endian event of a dictionary record, kept so that a copy loses nothing.
using DictionaryEvent = std::vector<std::byte>;

struct ConfigurationEntry {
  std::string key;  // empty where a writer stored a value alone
  std::string value;
  friend bool operator==(const ConfigurationEntry&, const ConfigurationEntry&) = default;
};

struct TagName {
  std::string name;
  std::uint8_t bit = 0;  // 0..31: the mask is 1 << bit
  friend bool operator==(const TagName&, const TagName&) = default;
};

class Dictionary {
 public:
  Dictionary() = default;
  // Reads schemas, configuration and registry; what does not parse is skipped and noted.
  explicit Dictionary(std::span<const DictionaryEvent> events);
  // From schemas made by a program. Error{invalid_argument} for a name that cannot be written.
  static Dictionary from_schemas(std::span<const Schema> schemas);

  Dictionary(Dictionary&&) = default;
  Dictionary& operator=(Dictionary&&) = default;
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;
  ~Dictionary() = default;

  // In file order; of a name that comes twice only the last.
  [[nodiscard]] std::vector<const Schema*> schemas() const;
  // Null where there is none. Of two schemas with one key the last one wins (docs/format.md 6.1).
  [[nodiscard]] const Schema* find(BankKey key) const noexcept;
  [[nodiscard]] const Schema* find(std::string_view name) const noexcept;
  // The schema's name, or "group/item".
  [[nodiscard]] std::string bank_name(BankKey key) const;

  // A repeated key: the last value, at the first one's place.
  [[nodiscard]] const std::vector<ConfigurationEntry>& configuration() const noexcept {
    return configuration_;
  }
  [[nodiscard]] const std::vector<TagName>& tag_names() const noexcept { return tag_names_; }
  // What was skipped and why, a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  void read_event(const DictionaryEvent& event, std::size_t index);
  void add(Schema schema);

  std::deque<Schema> schemas_;  // a deque keeps addresses while it grows and when it moves
  std::vector<std::size_t> order_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::map<BankKey, std::size_t> by_key_;
  std::vector<ConfigurationEntry> configuration_;
  std::vector<TagName> tag_names_;
  std::vector<std::string> notes_;
};

// Dictionary events as this library writes them: compact text (structure 120/2), JSON first where
// `with_json` (the form that C++ hipo4 and Java need; docs/format.md 10.7).
[[nodiscard]] DictionaryEvent schema_event(const Schema& schema, bool with_json);
[[nodiscard]] DictionaryEvent configuration_event(const ConfigurationEntry& entry);
// Error{invalid_argument} for a name that the text form cannot hold (docs/format.md 6.4).
[[nodiscard]] DictionaryEvent tag_names_event(std::span<const TagName> names);

enum class DictionaryEventKind { schema, tag_names, configuration, other };
[[nodiscard]] DictionaryEventKind kind_of(const DictionaryEvent& event);

}  // namespace v0
}  // namespace hipotool
