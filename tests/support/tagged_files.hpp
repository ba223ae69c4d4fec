#pragma once
// Files of small events with tags and numbers, and what is read back of them.

#include "hipotool/reader.hpp"

#include "support/library.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {

// Event number `i` holds it in bank N::n, column i; every third has a bank X::x too.
[[nodiscard]] EventImage numbered_event(std::uint32_t i, std::uint32_t tag);

// Events 0, 1, ... with these tags, `record_events` to a record; records have the given words by
// turns.
[[nodiscard]] FileImage numbered_file(const std::vector<std::uint32_t>& tags,
                                      std::uint32_t record_events,
                                      const std::vector<std::uint64_t>& words = {0});

struct NumberedEvent {
  std::uint32_t number = 0;
  std::uint32_t tag = 0;
  std::uint64_t word = 0;  // of its record
  friend bool operator==(const NumberedEvent&, const NumberedEvent&) = default;
};
// In file order.
[[nodiscard]] std::vector<NumberedEvent> numbered_events(const std::filesystem::path& path);

// "3:1 7:1": number and tag of each event.
[[nodiscard]] std::string numbers_and_tags(const std::filesystem::path& path);

// A row of the trailer's index, read without anything of the library.
struct TrailerRow {
  std::uint64_t position = 0;
  std::uint32_t events = 0;
  std::uint64_t word = 0;
};
[[nodiscard]] std::vector<TrailerRow> trailer_rows(const std::filesystem::path& path);

}  // namespace hipotool::test
