#include "layout/memory_need.hpp"

#include "format/structure.hpp"

#include <algorithm>
#include <vector>

namespace hipotool::inline v0::layout {
namespace {

// A vector that grows holds its old elements, and up to twice as many new ones.
constexpr std::uint64_t kGrowth = 3;
// Of an event: tag, size, position, oddity; and what is made of it by those who read it, such as a
// hash.
constexpr std::uint64_t kEventBytes = 100;
constexpr std::uint64_t kOccurrenceBytes = kGrowth * sizeof(BankOccurrence);
// Of a bank that occurs: its block, its first occurrences, and how it is found.
constexpr std::uint64_t kBlockBytes = 256;

std::uint64_t directory_bytes(const RecordDirectory& directory) {
  return directory.inflated.size() + sizeof(DirectoryBank) * directory.banks.size() +
         sizeof(StreamInfo) * directory.streams.size();
}

std::uint64_t occurrences_of(const RecordDirectory& directory, std::size_t bank) {
  std::uint64_t count = 0;
  for (std::uint32_t event = 0; event < directory.event_count; ++event) {
    count += directory.present(bank, event) ? 1U : 0U;
  }
  return count;
}

struct StructureCounts {
  std::uint64_t structures = 0;
  std::uint64_t banks = 0;  // different ones
};

// Damage is for the walk that notes them to find.
StructureCounts count_structures(const Record& record) {
  constexpr std::size_t kKeys = std::size_t{1} << 24;
  std::vector<bool> seen(kKeys);
  StructureCounts counts;
  for (std::uint32_t event = 0; event < record.event_sizes.size(); ++event) {
    try {
      format::walk_structures(
          record.payload.span().subspan(record.image_offsets[event], record.event_sizes[event]),
          [&](const format::StructureHeader& header, std::size_t) {
            const std::size_t key = std::size_t{header.key.group} << 8U | header.key.item;
            ++counts.structures;
            counts.banks += seen[key] ? 0U : 1U;
            seen[key] = true;
          });
    } catch (const Error&) {
      break;
    }
  }
  return counts;
}

}  // namespace

void require_allowed(std::uint64_t bytes, const CodecContext::State& context) {
  if (bytes > context.most_bytes) {
    throw OverBudget(bytes, context.most_bytes);
  }
}

void require_directory_fits(const StoredRecord& stored, std::uint64_t directory_raw_bytes,
                            const CodecContext::State& context) {
  // A bank or a stream takes at least eight bytes of it.
  constexpr std::uint64_t kEntry = std::max(sizeof(DirectoryBank), sizeof(StreamInfo));
  require_allowed(stored.bytes_read + directory_raw_bytes + directory_raw_bytes / 8 * kEntry,
                  context);
}

void require_split_fits(const DecodeInput& input) {
  const RecordDirectory& directory = input.directory;
  std::uint64_t needed =
      input.stored.bytes_read + directory_bytes(directory) + kEventBytes * directory.event_count;
  std::uint64_t largest_split = 0;  // is inflated apart
  std::uint64_t banks = 0;
  for (const DirectoryBank& bank : directory.banks) {
    if (!input.projection.wants(bank.key)) {
      continue;
    }
    ++banks;
    const auto streams = directory.streams_of(bank);
    needed += kBlockBytes + sizeof(ByteSpan) * streams.size();
    for (std::size_t c = 0; c < streams.size(); ++c) {
      if (bank.columns != 0 && !input.projection.wants(bank.key, c)) {
        continue;
      }
      needed += streams[c].raw_bytes;
      if (streams[c].is_split()) {
        largest_split = std::max<std::uint64_t>(largest_split, streams[c].raw_bytes);
      }
    }
  }
  needed += largest_split;
  require_allowed(needed, input.context);
  if (needed + kOccurrenceBytes * banks * directory.event_count <= input.context.most_bytes) {
    return;  // as many as there could be fit
  }
  for (std::size_t b = 0; b < directory.banks.size(); ++b) {
    if (input.projection.wants(directory.banks[b].key)) {
      needed += kOccurrenceBytes * occurrences_of(directory, b);
    }
  }
  require_allowed(needed, input.context);
}

std::uint64_t require_payload_fits(const StoredRecord& stored, std::uint64_t payload_bytes,
                                   const CodecContext::State& context) {
  const std::uint64_t needed =
      stored.bytes_read + payload_bytes + kEventBytes * stored.header.event_count;
  require_allowed(needed, context);
  return needed;
}

NotesAllowed::NotesAllowed(const Record& record, std::uint64_t taken_bytes,
                           const CodecContext::State& context)
    : taken_bytes_(taken_bytes), context_(&context) {
  if (context.most_bytes == CodecContext::kNoLimit) {
    return;
  }
  const std::uint64_t most_structures = record.payload.size() / format::kStructureHeaderBytes;
  const std::uint64_t occurrences = kOccurrenceBytes * most_structures;
  if (taken_bytes + occurrences > context.most_bytes) {
    require_exactly(record);
    return;
  }
  most_blocks_ = (context.most_bytes - taken_bytes - occurrences) / kBlockBytes;
}

void NotesAllowed::require_exactly(const Record& record) {
  const StructureCounts counts = count_structures(record);
  require_allowed(taken_bytes_ + kOccurrenceBytes * counts.structures + kBlockBytes * counts.banks,
                  *context_);
  most_blocks_ = counts.banks;
}

void release_excess(const CodecContext::State& context, Record& record) {
  if (context.most_bytes != CodecContext::kNoLimit &&
      record.memory_bytes() > context.most_bytes / 2) {
    record = Record();
  }
}

}  // namespace hipotool::inline v0::layout
