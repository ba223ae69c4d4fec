#pragma once
// Fetching the bytes of one record, all of them or what is wanted of it.

#include "hipotool/byte_source.hpp"
#include "hipotool/reader.hpp"

#include <cstdint>

namespace hipotool::inline v0::file {

// What a selective read takes at once, in the hope that the directory ends in it; also the most
// that it may read in vain.
inline constexpr std::uint64_t kPrefixBytes = 4096;

// Bytes [begin, end) of the record; nothing where there are none.
void load(const ByteSource& source, std::uint64_t begin, std::uint64_t end, StoredRecord& stored);

// All bytes of the record. Error{changed} where its header is no longer that of `entry`.
void load_record(const ByteSource& source, const RecordEntry& entry, StoredRecord& stored);

// Header and, in split layouts, directory, which is inflated and checked.
void load_directory(const ByteSource& source, const RecordEntry& entry, CodecContext& context,
                    StoredRecord& stored, RecordDirectory& directory);

}  // namespace hipotool::inline v0::file
