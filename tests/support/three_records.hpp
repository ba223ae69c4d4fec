#pragma once
// Twelve events in three per-chunk records of four: what damage is done to in tests of checking and
// repair.

#include "support/event_images.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hipotool::test {

inline constexpr BankKey kDamagedBank{300, 1};
inline constexpr std::size_t kDamagedRecords = 3;
inline constexpr std::uint32_t kEventsEach = 4;

// Event e of record r has tag 4 r + e and one row of A::a, x = 100 r + e.
[[nodiscard]] inline FileImage three_records() {
  FileImage file{.schemas = {"{A::a/300/1}{x/I}"}};
  for (std::size_t r = 0; r < kDamagedRecords; ++r) {
    std::vector<EventImage> events;
    for (std::uint32_t e = 0; e < kEventsEach; ++e) {
      events.push_back({.tag = static_cast<std::uint32_t>(kEventsEach * r + e),
                        .banks = {{kDamagedBank, packed(static_cast<std::int32_t>(100 * r + e))}}});
    }
    file.records.push_back(whole_record(images(events)));
  }
  return file;
}

// Where a record begins; one past the last: the trailer.
[[nodiscard]] inline std::uint64_t offset_of(const FileImage& file, std::size_t record) {
  std::uint64_t at = file.first_record();
  for (std::size_t r = 0; r < record; ++r) {
    at += file.records[r].size();
  }
  return at;
}

[[nodiscard]] inline Bytes with_zeros(Bytes bytes, std::uint64_t at, std::size_t count) {
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, std::byte{0});
  return bytes;
}

template <typename T>
[[nodiscard]] Bytes with_number(Bytes bytes, std::uint64_t at, T value) {
  store_le(bytes.data() + at, value);
  return bytes;
}

}  // namespace hipotool::test
