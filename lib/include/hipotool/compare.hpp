#pragma once
// What differs between two files: first what they say about themselves (dictionary, configuration,
// tag registry, user words, reserved words), then their events. Layout, codec, record size and byte
// order make no difference (docs/format.md, section 13).

#include "hipotool/digest.hpp"
#include "hipotool/reader.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipotool {
inline namespace v0 {

struct CompareOptions {
  bool events_only = false;  // leave out what the files say about themselves
  // Pair events that have the same run and event number in RUN::config (and tag, where it helps)
  // instead of those at the same position.
  bool by_event_number = false;
  // Floats a and b count as equal where |a - b| <= absolute + relative * max(|a|, |b|). With both
  // 0 they must have the same bits. Two NaN are equal always.
  double absolute_tolerance = 0;
  double relative_tolerance = 0;
  std::vector<std::string> banks{};    // names or patterns (names.hpp); empty: all
  std::vector<std::string> ignored{};  // banks "REC::Event", columns "REC::Event.beamCharge"
  std::uint64_t differences_kept = 10;
  unsigned threads = 1;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::stop_token stop{};
};

enum class DifferenceKind : std::uint8_t {
  schema,         // a bank's definition
  configuration,  // an entry of the user configuration
  tag_name,       // an entry of the tag registry
  user_words,     // of the record that an event lies in
  reserved_word,  // of an event's header
  event,          // has no partner in the other file
  tag,
  bank,   // only one of the two events has it
  shape,  // table, composite or opaque; columns, types, type byte, format
  rows,   // of a table; bytes of a bank that is none
  value,
};
[[nodiscard]] std::string_view to_string(DifferenceKind kind) noexcept;  // "user-words"

struct Difference {
  DifferenceKind kind = DifferenceKind::value;
  std::optional<std::uint64_t> event_a{};  // position in file A
  std::optional<std::uint64_t> event_b{};
  std::string bank{};  // or the configuration key, or the tag's name
  std::string column{};
  std::optional<std::uint64_t> row{};
  std::optional<std::uint64_t> element{};  // of an array column; the byte of a bank without columns
  std::string a{};                         // empty: not there
  std::string b{};
};

struct ColumnDifferences {
  std::uint64_t values = 0;  // that differ
  double largest = 0;        // |a - b| among those that are finite
};

struct Comparison {
  std::uint64_t events_a = 0;
  std::uint64_t events_b = 0;
  std::uint64_t events_paired = 0;
  std::uint64_t events_different = 0;  // pairs with any difference, and events without a partner
  std::uint64_t descriptions_different = 0;  // schemas, entries and words outside of events
  // The same events (as far as banks are compared at all), but not in the same order. Then events
  // are not compared one by one, unless by event number.
  bool other_order = false;
  Digest digest_a{};  // of the banks compared
  Digest digest_b{};
  std::vector<Difference> differences{};  // the first ones; descriptions, then events in order
  std::map<std::pair<std::string, std::string>, ColumnDifferences> columns{};  // by bank and column

  [[nodiscard]] bool same() const noexcept {
    return events_different == 0 && descriptions_different == 0 && !other_order;
  }
};

// Reads both files, twice where their digests differ. Error{not_found} for a bank or column that
// neither file has, and what reading throws; then nothing can be said.
[[nodiscard]] Comparison compare(const FileReader& a, const FileReader& b,
                                 const CompareOptions& options);

}  // namespace v0
}  // namespace hipotool
