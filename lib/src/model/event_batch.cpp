#include "hipotool/event_batch.hpp"

#include "hipotool/error.hpp"

#include "base/small_copy.hpp"
#include "format/constants.hpp"
#include "model/block_cells.hpp"

#include <algorithm>
#include <cstring>
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

[[noreturn]] void differ(std::uint32_t event, const BankBlock* block, const std::string& what) {
  throw Error(ErrorCode::corrupt, "verification: " + what + " differs from its source",
              {.event = event,
               .bank = block == nullptr           ? ""
                       : block->schema != nullptr ? block->schema->name()
                                                  : to_string(block->key)});
}

bool equal_bytes(ByteSpan a, ByteSpan b) noexcept {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// Compares banks of one block with those of another, occurrence by occurrence. Where either lies by
// column, both are read through its schema.
class BankComparison {
 public:
  BankComparison(const BankBlock& a, const BankBlock& b) : a_(a), b_(b) {
    const bool a_by_column = a.arrangement == Arrangement::by_column;
    if (a_by_column || b.arrangement == Arrangement::by_column) {
      schema_ = a_by_column ? a.schema : b.schema;
      cells_a_ = cells_of(a, *schema_);
      cells_b_ = cells_of(b, *schema_);
    }
  }

  // Of equal sizes.
  [[nodiscard]] bool equal(const BankOccurrence& in_a, const BankOccurrence& in_b) const {
    if (schema_ == nullptr) {
      return difference_of_runs(a_.bytes.data() + in_a.position, b_.bytes.data() + in_b.position,
                                in_a.size) == 0;
    }
    const std::uint64_t rows = in_a.size / schema_->row_size();
    std::uint64_t difference = 0;
    for (std::size_t c = 0; c < cells_a_.size(); ++c) {
      const ColumnCells& a = cells_a_[c];
      difference |= difference_of_runs(a.at(in_a.position, rows),
                                       cells_b_[c].at(in_b.position, rows), rows * a.width);
    }
    return difference == 0;
  }

 private:
  const BankBlock& a_;
  const BankBlock& b_;
  const Schema* schema_ = nullptr;
  std::vector<ColumnCells> cells_a_;
  std::vector<ColumnCells> cells_b_;
};

// Both sides by column: a run is contiguous in each, so every column is one comparison.
bool equal_columns(const BankBlock& a, std::span<const BankOccurrence> in_a, const BankBlock& b,
                   std::span<const BankOccurrence> in_b) {
  const Schema& schema = *a.schema;
  const auto rows_of = [&](std::span<const BankOccurrence> run) {
    return run.back().position + run.back().size / schema.row_size() - run.front().position;
  };
  for (std::size_t c = 0; c < schema.columns().size(); ++c) {
    const std::uint64_t width = schema.columns()[c].width();
    const auto cells = [&](const BankBlock& block, std::span<const BankOccurrence> run) {
      return block.columns[c].subspan(run.front().position * width, rows_of(run) * width);
    };
    if (!equal_bytes(cells(a, in_a), cells(b, in_b))) {
      return false;
    }
  }
  return true;
}

// A bank in a run of events: the run's first event counts from 0 in its record or batch.
struct BlockRun {
  const BankBlock& block;
  std::span<const BankOccurrence> occurrences;
  std::uint32_t first_event;
};

void require_equal_blocks(const BlockRun& source, const BlockRun& decoded) {
  const std::size_t count = source.occurrences.size();
  if (decoded.occurrences.size() != count) {
    differ(decoded.first_event, &source.block, "number of occurrences");
  }
  const auto event_of = [&](std::size_t i) {
    return decoded.first_event + source.occurrences[i].event - source.first_event;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const BankOccurrence& expected = source.occurrences[i];
    const BankOccurrence& found = decoded.occurrences[i];
    if (found.event != event_of(i)) {
      differ(event_of(i), &source.block, "presence");
    }
    if (found.size != expected.size || found.type != expected.type ||
        found.format_length != expected.format_length) {
      differ(event_of(i), &source.block, "structure header");
    }
  }
  const bool both_by_column = source.block.arrangement == Arrangement::by_column &&
                              decoded.block.arrangement == Arrangement::by_column &&
                              *source.block.schema == *decoded.block.schema;
  if (both_by_column) {
    if (!equal_columns(source.block, source.occurrences, decoded.block, decoded.occurrences)) {
      differ(event_of(0), &source.block, "a column of this run");
    }
    return;
  }
  const BankComparison comparison(source.block, decoded.block);
  for (std::size_t i = 0; i < count; ++i) {
    if (!comparison.equal(source.occurrences[i], decoded.occurrences[i])) {
      differ(event_of(i), &source.block, "content");
    }
  }
}

// Everything after the magic, which is normalised.
bool equal_images(ByteSpan source, ByteSpan decoded) noexcept {
  if (source.size() < format::kEventHeaderBytes || source.size() != decoded.size()) {
    return equal_bytes(source, decoded);
  }
  // The length word follows the size and may have been corrected; sizes are equal already.
  return equal_bytes(source.subspan(8), decoded.subspan(8));
}

void require_equal_events(const Record& source, std::uint32_t first, std::uint32_t count,
                          const Record& decoded, std::uint32_t at) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (source.tag(first + i) != decoded.tag(at + i)) {
      differ(at + i, nullptr, "event tag");
    }
    if (source.event_bytes(first + i) != decoded.event_bytes(at + i)) {
      differ(at + i, nullptr, "event size");
    }
  }
}

bool have_equal_images(const Record& source, std::uint32_t first, std::uint32_t count,
                       const Record& decoded, std::uint32_t at) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto a = source.image(first + i);
    const auto b = decoded.image(at + i);
    if (!a || !b) {
      return false;
    }
    if (!equal_images(*a, *b)) {
      differ(at + i, nullptr, "event");
    }
  }
  return true;
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

void require_equal(const EventBatch& batch, const Record& decoded) {
  if (decoded.event_count() != batch.event_count()) {
    throw Error(ErrorCode::corrupt, "verification: " + std::to_string(decoded.event_count()) +
                                        " events where " + std::to_string(batch.event_count()) +
                                        " were written");
  }
  for_each_run(
      batch, [&](const Record& source, std::uint32_t first, std::uint32_t count, std::uint32_t at) {
        require_equal_events(source, first, count, decoded, at);
        if (have_equal_images(source, first, count, decoded, at)) {
          return;
        }
        std::size_t matched = 0;
        for (const BankBlock& block : source.blocks()) {
          const auto expected = block.in_events(first, count);
          if (expected.empty()) {
            continue;
          }
          const BankBlock* twin = decoded.find(block.key);
          if (twin == nullptr) {
            differ(at, &block, "presence");
          }
          const auto found = twin->in_events(at, count);
          require_equal_blocks({block, expected, first}, {*twin, found, at});
          matched += found.size();
        }
        std::size_t present = 0;
        for (const BankBlock& block : decoded.blocks()) {
          present += block.in_events(at, count).size();
        }
        if (present != matched) {
          differ(at, nullptr, "number of banks");
        }
      });
}

}  // namespace v0
}  // namespace hipotool
