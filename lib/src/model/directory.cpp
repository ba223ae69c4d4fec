#include "hipotool/directory.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "format/constants.hpp"

#include <algorithm>
#include <string>

namespace hipotool {
inline namespace v0 {

StoredRecord StoredRecord::borrow(ByteSpan record) {
  StoredRecord stored;
  stored.header = parse_record_header(record);
  if (record.size() < stored.header.record_bytes()) {
    throw Error(ErrorCode::truncated, "a record of " +
                                          std::to_string(stored.header.record_bytes()) +
                                          " bytes has only " + std::to_string(record.size()));
  }
  stored.bytes = record.first(stored.header.record_bytes());
  stored.mark_loaded(0, stored.bytes.size());
  return stored;
}

void StoredRecord::mark_loaded(std::uint64_t offset, std::uint64_t size) {
  if (!loaded_.empty() && loaded_.back().end == offset) {
    loaded_.back().end = offset + size;
  } else {
    loaded_.push_back({offset, offset + size});
  }
}

bool StoredRecord::is_loaded(std::uint64_t offset, std::uint64_t size) const noexcept {
  return std::any_of(loaded_.begin(), loaded_.end(), [&](const Range& range) {
    return range.begin <= offset && offset + size <= range.end;
  });
}

ByteSpan StoredRecord::range(std::uint64_t offset, std::uint64_t size) const {
  if (size == 0) {
    return {};
  }
  if (offset > bytes.size() || size > bytes.size() - offset) {
    throw Error(ErrorCode::corrupt,
                "a range of " + counted(size, "byte") + " runs past the end of its record",
                {.offset_in_record = offset});
  }
  if (!is_loaded(offset, size)) {
    throw Error(ErrorCode::invalid_argument,
                "bytes " + std::to_string(offset) + " to " + std::to_string(offset + size) +
                    " of the record were not read; read the streams of this projection first");
  }
  return bytes.subspan(offset, size);
}

const DirectoryBank* RecordDirectory::find(BankKey key) const noexcept {
  const auto found =
      std::lower_bound(banks.begin(), banks.end(), key,
                       [](const DirectoryBank& bank, BankKey wanted) { return bank.key < wanted; });
  return found != banks.end() && found->key == key ? &*found : nullptr;
}

std::uint64_t RecordDirectory::raw_bytes() const noexcept {
  std::uint64_t total = (format::kEventHeaderBytes + 4) * std::uint64_t{event_count};
  for (const StreamInfo& stream : streams) {
    total += stream.raw_bytes;
  }
  for (std::uint32_t event = 0; event < event_count; ++event) {
    const std::byte* row = inflated.data() + presence_at + std::size_t{event} * presence_row;
    for (std::size_t i = 0; i < presence_row; ++i) {
      total += format::kStructureHeaderBytes *
               static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(row[i])));
    }
  }
  return total;
}

}  // namespace v0
}  // namespace hipotool
