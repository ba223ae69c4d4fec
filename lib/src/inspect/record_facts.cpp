#include "inspect/record_facts.hpp"

#include <algorithm>

namespace hipotool::inline v0::inspect {

namespace {

void count_tags(const Record& record, RecordFacts& facts) {
  const auto& tags = record.tags;
  facts.events = record.event_count();
  for (auto run = tags.begin(); run != tags.end();) {
    const std::uint32_t tag = *run;
    const auto end = std::find_if(run, tags.end(), [tag](std::uint32_t one) { return one != tag; });
    const auto events = static_cast<std::uint64_t>(end - run);
    facts.events_by_tag.add(tag, events);
    facts.other_tags += tag != record.user_words.first ? events : 0;
    run = end;
  }
}

void count_banks(const Record& record, CheckOddities& oddities) {
  for (const BankBlock& block : record.blocks()) {
    if (block.arrangement == Arrangement::by_column) {
      continue;  // whole rows of a schema by construction
    }
    for (const BankOccurrence& bank : block.occurrences) {
      if (bank.format_length != 0) {
        continue;
      }
      if (block.schema == nullptr) {
        ++oddities.banks_without_schema;
      } else if (!block.is_table(bank)) {
        ++oddities.ragged_banks;
      }
    }
  }
}

}  // namespace

RecordFacts facts_of(const Record& record, bool hash) {
  RecordFacts facts;
  count_tags(record, facts);
  count_banks(record, facts.oddities);
  for (const EventOddity& oddity : record.oddities) {
    for (const Oddity kind : kOddities) {
      if (oddity.has(kind)) {
        ++facts.oddities.events[kind];
      }
    }
  }
  if (!record.user_header.empty()) {
    facts.oddities.events[Oddity::record_user_header] += record.event_count();
  }
  facts.oddities.records_with_surplus = record.payload_surplus != 0 ? 1 : 0;
  if (hash) {
    Buffer scratch;
    hash_events(record, facts.hashes, scratch);
  }
  return facts;
}

std::uint64_t checksummed_bytes(const RecordHeader& header, const RecordDirectory& directory) {
  std::uint64_t bytes = 0;
  for (const StreamInfo& stream : directory.streams) {
    if (header.codec == CodecId::gzip || stream.checksum != 0) {
      bytes += stream.stored_bytes;
    }
  }
  return bytes;
}

}  // namespace hipotool::inline v0::inspect
