#pragma once
// Numbers that the format fixes (docs/format.md). Named here once.

#include "hipotool/schema.hpp"

#include <cstddef>
#include <cstdint>

namespace hipotool::inline v0::format {

inline constexpr std::uint32_t kVersion = 6;
inline constexpr std::uint32_t kEndianMagic = 0xc0da0100;
inline constexpr std::uint32_t kSwappedEndianMagic = 0x0001dac0;
inline constexpr std::size_t kFileHeaderBytes = 56;
inline constexpr std::uint32_t kHeaderWords = 14;

inline constexpr std::size_t kEventHeaderBytes = 16;
inline constexpr std::size_t kStructureHeaderBytes = 8;
inline constexpr std::uint32_t kMaxBankBytes = 0xFFFFFF;  // 24 bits of the size word
inline constexpr std::uint8_t kTextType = 6;
inline constexpr std::uint8_t kTableType = 11;

// Whole-record payloads may inflate to a little more than their header declares (section 4).
inline constexpr std::uint64_t kPayloadSlack = std::uint64_t{64} << 10;

inline constexpr BankKey kSchemaJsonKey{120, 1};
inline constexpr BankKey kSchemaTextKey{120, 2};
inline constexpr BankKey kTagNamesKey{120, 3};
inline constexpr BankKey kConfigurationKey{32555, 1};
inline constexpr BankKey kConfigurationValueKey{32555, 2};
inline constexpr BankKey kFileIndexKey{32111, 1};

// What a writer must stay below (sections 6.5 and 7).
inline constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{1} << 31;
inline constexpr std::uint64_t kMaxPayloadBytes = std::uint64_t{1} << 30;

}  // namespace hipotool::inline v0::format
