#pragma once
// Event headers (16 bytes) and structure headers (8 bytes): docs/format.md, sections 5.1 and 5.2.

#include "hipotool/bytes.hpp"
#include "hipotool/error.hpp"
#include "hipotool/schema.hpp"

#include "format/constants.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hipotool::inline v0::format {

struct StructureHeader {
  BankKey key{};
  std::uint8_t type = 0;
  std::uint8_t format_length = 0;
  std::uint32_t size = 0;  // data bytes after the header, format string included
};

[[nodiscard]] inline StructureHeader load_structure_header(const std::byte* at) noexcept {
  const auto size_word = load_le<std::uint32_t>(at + 4);
  return {{load_le<std::uint16_t>(at), load_le<std::uint8_t>(at + 2)},
          load_le<std::uint8_t>(at + 3),
          static_cast<std::uint8_t>(size_word >> 24),
          size_word & kMaxBankBytes};
}

inline void store_structure_header(const StructureHeader& header, std::byte* to) noexcept {
  store_le(to, header.key.group);
  store_le(to + 2, header.key.item);
  store_le(to + 3, header.type);
  store_le(to + 4, header.size | (std::uint32_t{header.format_length} << 24));
}

inline void store_event_header(std::uint32_t bytes, std::uint32_t tag, std::uint32_t reserved,
                               std::byte* to) noexcept {
  std::memcpy(to, "EVNT", 4);
  store_le(to + 4, bytes);
  store_le(to + 8, tag);
  store_le(to + 12, reserved);
}

// Calls visit(header, offset of the data in `event`) for each structure of a little-endian event
// and returns the bytes left over, fewer than 8. An event of fewer than 16 bytes has no structures
// and all its bytes are left over. Error{corrupt} for damage.
template <typename Visit>
std::uint32_t walk_structures(ByteSpan event, Visit&& visit) {
  if (event.size() < kEventHeaderBytes) {
    return static_cast<std::uint32_t>(event.size());
  }
  if (event[0] != std::byte{'E'} || event[1] != std::byte{'V'}) {
    throw Error(ErrorCode::corrupt, "event header: its magic does not begin with EV");
  }
  const auto length = load_le<std::uint32_t>(event.data() + 4);
  if (length != event.size()) {
    throw Error(ErrorCode::corrupt, "event header says " + std::to_string(length) +
                                        " bytes, the record's index " +
                                        std::to_string(event.size()));
  }
  std::size_t at = kEventHeaderBytes;
  while (event.size() - at >= kStructureHeaderBytes) {
    const StructureHeader header = load_structure_header(event.data() + at);
    at += kStructureHeaderBytes;
    if (header.size > event.size() - at) {
      throw Error(ErrorCode::corrupt, "structure " + to_string(header.key) + " of " +
                                          std::to_string(header.size) +
                                          " bytes runs past its event");
    }
    if (header.format_length > header.size) {
      throw Error(ErrorCode::corrupt, "structure " + to_string(header.key) +
                                          ": its format string is longer than its data");
    }
    visit(header, at);
    at += header.size;
  }
  return static_cast<std::uint32_t>(event.size() - at);
}

// Appends a structure with its header.
inline void append_structure(std::vector<std::byte>& event, BankKey key, std::uint8_t type,
                             ByteSpan data) {
  const std::size_t at = event.size();
  event.resize(at + kStructureHeaderBytes + data.size());
  store_structure_header({key, type, 0, static_cast<std::uint32_t>(data.size())},
                         event.data() + at);
  if (!data.empty()) {
    std::memcpy(event.data() + at + kStructureHeaderBytes, data.data(), data.size());
  }
}

}  // namespace hipotool::inline v0::format
