#pragma once
// The dictionary record of an output made from one or more inputs: a union in input order, then
// file order, identical events once; one input's events are carried byte for byte.

#include "hipotool/dictionary.hpp"
#include "hipotool/reader.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hipotool {
inline namespace v0 {

// A reader whose limits the dictionary must respect (docs/format.md 10.7).
enum class PeerReader { cpp, java };
[[nodiscard]] std::optional<PeerReader> parse_peer_reader(std::string_view word) noexcept;

struct MergeOptions {
  bool drop_configuration = false;          // leave out configuration and tag registry
  bool drop_tag_names = false;              // leave out the tag registry
  bool strict_configuration = false;        // inputs that disagree on a key are an error
  std::optional<PeerReader> readable_by{};  // rewrite schemas as this reader needs them
  // What stands for an input's dictionary_events(). May be empty.
  std::function<const std::vector<DictionaryEvent>&(const FileReader&)> events_of{};
};

struct MergedDictionary {
  std::vector<DictionaryEvent> events;
  std::vector<std::string> notes;  // configuration of later inputs that was left out, and the like
};

// Error{invalid_argument} naming both files and banks where two inputs give one name two layouts or
// one (group, item) two names, or one tag name two bits; {not_representable} for what `readable_by`
// has no form for.
[[nodiscard]] MergedDictionary merge_dictionaries(std::span<const FileReader* const> inputs,
                                                  const MergeOptions& options);

// Whether the peers can read a file with this dictionary and records like these; each says why not.
struct Readers {
  std::string cpp;      // empty: yes
  std::string java;     // empty: yes
  std::string oxihipo;  // empty: yes
};
[[nodiscard]] Readers readers_of(const Dictionary& dictionary,
                                 std::span<const DictionaryEvent> events,
                                 std::span<const Compression> compressions);

}  // namespace v0
}  // namespace hipotool
