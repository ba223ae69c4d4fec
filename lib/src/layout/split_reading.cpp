#include "hipotool/error.hpp"

#include "format/constants.hpp"
#include "layout/memory_need.hpp"
#include "layout/split_section.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace hipotool::inline v0::layout {
namespace {

[[noreturn]] void corrupt(const std::string& what) {
  throw Error(ErrorCode::corrupt, what);
}

}  // namespace

SectionHeader parse_section_header(const StoredRecord& stored) {
  const RecordHeader& record = stored.header;
  if (record.big_endian) {
    corrupt("a split record cannot be big-endian");
  }
  if (record.payload_bytes() < kSectionHeaderBytes) {
    corrupt("split section of " + std::to_string(record.payload_bytes()) + " bytes; it needs 20");
  }
  const ByteSpan bytes = stored.range(record.payload_offset(), kSectionHeaderBytes);
  SectionHeader section;
  section.version = load_le<std::uint8_t>(bytes.data());
  section.banks = load_le<std::uint32_t>(bytes.data() + 4);
  section.events = load_le<std::uint32_t>(bytes.data() + 8);
  section.directory_stored_bytes = load_le<std::uint32_t>(bytes.data() + 12);
  section.directory_raw_bytes = load_le<std::uint32_t>(bytes.data() + 16);
  section.presence_row = (section.banks + 7) / 8;
  if (section.events != record.event_count) {
    corrupt("split section says " + std::to_string(section.events) + " events, the record header " +
            std::to_string(record.event_count));
  }
  if (section.directory_stored_bytes > record.payload_bytes() - kSectionHeaderBytes) {
    corrupt("the directory runs past its record");
  }
  codec::require_plausible(CodecId::lz4, section.directory_raw_bytes,
                           section.directory_stored_bytes);
  // Four bytes of the directory for each bank and each event: this bounds all products below.
  if (section.banks > section.directory_raw_bytes / 4 ||
      section.events > section.directory_raw_bytes / 4) {
    corrupt("a directory of " + std::to_string(section.directory_raw_bytes) +
            " bytes cannot list " + std::to_string(section.banks) + " banks and " +
            std::to_string(section.events) + " events");
  }
  return section;
}

void inflate_directory(const StoredRecord& stored, const SectionHeader& section,
                       CodecContext::State& context, RecordDirectory& directory) {
  directory.layout = stored.header.layout;
  directory.version = section.version;
  directory.event_count = stored.header.event_count;
  directory.directory_bytes = kSectionHeaderBytes + section.directory_stored_bytes;
  directory.banks.clear();
  directory.streams.clear();
  directory.presence_row = section.presence_row;
  require_directory_fits(stored, section.directory_raw_bytes, context);
  directory.inflated.resize_discard(section.directory_raw_bytes);
  const std::uint64_t at = stored.header.payload_offset() + kSectionHeaderBytes;
  with_context([] { return ErrorContext{.bank = "directory"}; },
               [&] {
                 inflate_exactly(CodecId::lz4, stored.range(at, section.directory_stored_bytes),
                                 directory.inflated.span(), at, context);
               });
}

void parse_descriptors(const SectionHeader& section, RecordDirectory& directory) {
  directory.banks.resize(section.banks);
  for (std::size_t b = 0; b < directory.banks.size(); ++b) {
    const std::byte* at = directory.inflated.data() + 4 * b;
    DirectoryBank& bank = directory.banks[b];
    bank = {};
    bank.key = {load_le<std::uint16_t>(at), load_le<std::uint8_t>(at + 2)};
    bank.type = load_le<std::uint8_t>(at + 3);
    if (b > 0 && bank.key <= directory.banks[b - 1].key) {
      corrupt("directory: bank " + to_string(bank.key) + " does not come after " +
              to_string(directory.banks[b - 1].key));
    }
  }
}

std::size_t place_event_tables(const SectionHeader& section, std::size_t at,
                               RecordDirectory& directory) {
  directory.tags_at = at;
  directory.presence_at = directory.tags_at + 4 * section.events;
  directory.sizes_at = directory.presence_at + section.events * section.presence_row;
  return directory.sizes_at + 4 * section.banks * section.events;
}

void place_streams(const StoredRecord& stored, RecordDirectory& directory) {
  const RecordHeader& header = stored.header;
  const std::uint64_t end = header.payload_offset() + header.payload_bytes();
  const std::uint64_t begin = header.payload_offset() + directory.directory_bytes;
  std::uint64_t at = begin;
  std::uint64_t raw_bytes = 0;
  for (StreamInfo& stream : directory.streams) {
    stream.offset = at;
    at += stream.stored_bytes;
    raw_bytes += stream.raw_bytes;
    if (at > end) {
      corrupt("directory: the streams run past their record");
    }
    codec::require_plausible(header.codec, stream.raw_bytes, stream.stored_bytes);
  }
  // Small streams may claim a little whatever they are stored in; many of them may not each do so.
  codec::require_plausible(header.codec, raw_bytes, at - begin);
}

void begin_events(const DecodeInput& input, Record& record) {
  require_split_fits(input);
  const RecordDirectory& directory = input.directory;
  record.tags.resize(directory.event_count);
  for (std::uint32_t event = 0; event < directory.event_count; ++event) {
    record.tags[event] = directory.tag(event);
  }
  if (input.projection.is_everything()) {
    record.event_sizes.assign(directory.event_count, format::kEventHeaderBytes);
  }
}

std::uint64_t append_occurrences(const RecordDirectory& directory, std::size_t bank,
                                 std::optional<std::uint64_t> row_size, BankBlock& block) {
  const DirectoryBank& entry = directory.banks[bank];
  const std::uint64_t unit = row_size.value_or(1);
  std::uint64_t bytes = 0;
  for (std::uint32_t event = 0; event < directory.event_count; ++event) {
    const std::uint32_t size = directory.bank_bytes(bank, event);
    if (!directory.present(bank, event)) {
      if (size != 0) {
        throw Error(ErrorCode::corrupt,
                    "directory: absent, but " + std::to_string(size) + " bytes long",
                    {.event = event});
      }
      continue;
    }
    if (size > format::kMaxBankBytes || size % unit != 0 || bytes > UINT32_MAX - size) {
      throw Error(ErrorCode::corrupt,
                  "directory: " + std::to_string(size) + " bytes are not possible here",
                  {.event = event});
    }
    // A composite without content has no room for the format string that others carry.
    const std::uint8_t format_length = size == 0 ? std::uint8_t{0} : entry.format_length;
    if (format_length > size) {
      throw Error(ErrorCode::corrupt, "directory: the format string is longer than the data",
                  {.event = event});
    }
    block.occurrences.push_back(
        {event, size, static_cast<std::uint32_t>(bytes / unit), entry.type, format_length});
    bytes += size;
  }
  return bytes;
}

void add_event_sizes(const BankBlock& block, Record& record) {
  for (const BankOccurrence& occurrence : block.occurrences) {
    std::uint32_t& size = record.event_sizes[occurrence.event];
    const std::uint32_t added = occurrence.size + format::kStructureHeaderBytes;
    if (size > UINT32_MAX - added) {
      throw Error(ErrorCode::corrupt, "an event of more than 4 GiB", {.event = occurrence.event});
    }
    size += added;
  }
}

StreamArena::StreamArena(std::uint64_t total_bytes, Record& record) : record_(&record) {
  if (total_bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::unsupported, "streams that inflate to " + std::to_string(total_bytes) +
                                            " bytes; at most 4 GiB are supported");
  }
  // Never empty, so that a wanted stream without bytes still has an address.
  record.payload.resize_discard(std::max<std::uint64_t>(total_bytes, 1));
  record.payload.prefer_large_pages();
}

MutableByteSpan StreamArena::take(std::uint64_t bytes) {
  const MutableByteSpan place = record_->payload.span().subspan(used_, bytes);
  used_ += bytes;
  return place;
}

}  // namespace hipotool::inline v0::layout
