#include "hipotool/event_batch.hpp"

#include <map>
#include <numeric>
#include <optional>

namespace hipotool {
inline namespace v0 {
namespace {

constexpr std::uint8_t bit(Oddity oddity) noexcept {
  return static_cast<std::uint8_t>(oddity);
}

// Calls visit(record, first, count, index of the run's first event in the batch).
template <typename Visit>
void for_each_run(const EventBatch& batch, Visit&& visit) {
  std::uint32_t at = 0;
  for (const EventRun& run : batch.runs()) {
    visit(*run.record, run.first, run.count, at);
    at += run.count;
  }
}

// Marks what each record already knows to be odd.
void mark_record_oddities(const EventBatch& batch, std::vector<std::uint8_t>& kinds) {
  for_each_run(
      batch, [&](const Record& record, std::uint32_t first, std::uint32_t count, std::uint32_t at) {
        if (!record.user_header.empty()) {
          for (std::uint32_t i = 0; i < count; ++i) {
            kinds[at + i] |= bit(Oddity::record_user_header);
          }
        }
        for (const EventOddity& oddity : record.oddities) {
          if (oddity.event >= first && oddity.event - first < count) {
            kinds[at + oddity.event - first] |= oddity.kinds;
          }
        }
      });
}

// Marks events whose bank differs in type byte or format length from the bank's first occurrence
// among the events that could be stored.
void mark_differing_banks(const EventBatch& batch, std::vector<std::uint8_t>& kinds) {
  struct Reference {
    std::uint8_t type;
    std::uint8_t format_length;
  };
  std::map<BankKey, Reference> references;
  const std::vector<std::uint8_t> before = kinds;
  for_each_run(
      batch, [&](const Record& record, std::uint32_t first, std::uint32_t count, std::uint32_t at) {
        for (const BankBlock& block : record.blocks()) {
          std::optional<Reference> reference;
          if (const auto known = references.find(block.key); known != references.end()) {
            reference = known->second;
          }
          for (const BankOccurrence& occurrence : block.in_events(first, count)) {
            const std::size_t event = at + occurrence.event - first;
            if (before[event] != 0) {
              continue;
            }
            if (!reference) {
              reference = Reference{occurrence.type, occurrence.format_length};
              references.emplace(block.key, *reference);
            }
            if (occurrence.type != reference->type) {
              kinds[event] |= bit(Oddity::type_byte);
            }
            if (occurrence.format_length != reference->format_length) {
              kinds[event] |= bit(Oddity::format_length);
            }
          }
        }
      });
}

}  // namespace

void EventBatch::append(const std::shared_ptr<const Record>& record, std::uint32_t first,
                        std::uint32_t count) {
  if (count == 0) {
    return;
  }
  if (!runs_.empty() && runs_.back().record == record &&
      runs_.back().first + runs_.back().count == first) {
    runs_.back().count += count;
  } else {
    runs_.push_back({record, first, count});
  }
  event_count_ += count;
  const auto sizes = std::span{record->event_sizes}.subspan(first, count);
  raw_bytes_ = std::accumulate(sizes.begin(), sizes.end(), raw_bytes_ + std::uint64_t{4} * count);
}

void EventBatch::clear() {
  runs_.clear();
  event_count_ = 0;
  raw_bytes_ = 0;
  user_words = {};
}

std::vector<BatchPart> partition_for_split(const EventBatch& batch) {
  std::vector<std::uint8_t> kinds(batch.event_count(), 0);
  mark_record_oddities(batch, kinds);
  mark_differing_banks(batch, kinds);
  std::vector<BatchPart> parts;
  std::uint32_t at = 0;
  for (const EventRun& run : batch.runs()) {
    std::uint32_t begin = 0;
    while (begin < run.count) {
      const bool odd = kinds[at + begin] != 0;
      std::uint32_t end = begin;
      std::uint8_t found = 0;
      while (end < run.count && (kinds[at + end] != 0) == odd) {
        found |= kinds[at + end++];
      }
      if (parts.empty() || (parts.back().kinds != 0) != odd) {
        parts.emplace_back();
        parts.back().batch.user_words = batch.user_words;
      }
      parts.back().batch.append(run.record, run.first + begin, end - begin);
      parts.back().kinds |= found;
      begin = end;
    }
    at += run.count;
  }
  return parts;
}

}  // namespace v0
}  // namespace hipotool
