#include "model/batch_comparison.hpp"

#include "hipotool/counted.hpp"
#include "hipotool/error.hpp"

#include "base/small_copy.hpp"
#include "format/constants.hpp"
#include "model/block_cells.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>

namespace hipotool::inline v0 {
namespace {

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

  // The first pair that differs, of occurrences that have the same sizes in both blocks.
  [[nodiscard]] std::optional<std::size_t> first_difference(
      std::span<const BankOccurrence> in_a, std::span<const BankOccurrence> in_b) const {
    for (std::size_t begin = 0; begin < in_a.size(); begin += kTablesTogether) {
      const std::size_t count = std::min(in_a.size() - begin, kTablesTogether);
      if (difference(in_a.subspan(begin, count), in_b.subspan(begin, count)) != 0) {
        while (difference(in_a.subspan(begin, 1), in_b.subspan(begin, 1)) == 0) {
          ++begin;
        }
        return begin;
      }
    }
    return std::nullopt;
  }

 private:
  // Not 0 where one of at most kTablesTogether pairs differs.
  [[nodiscard]] std::uint64_t difference(std::span<const BankOccurrence> in_a,
                                         std::span<const BankOccurrence> in_b) const {
    for (const BankOccurrence& occurrence : in_a) {
      prefetch(a_, occurrence);
    }
    std::uint64_t found = 0;
    if (schema_ == nullptr) {
      for (std::size_t i = 0; i < in_a.size(); ++i) {
        found |= difference_of_runs(a_.bytes.data() + in_a[i].position,
                                    b_.bytes.data() + in_b[i].position, in_a[i].size);
      }
      return found;
    }
    const RowCounts rows = rows_of(in_a, schema_->row_size());
    const std::uint64_t total =
        std::accumulate(rows.begin(), rows.begin() + in_a.size(), std::uint64_t{0});
    for (std::size_t c = 0; c < cells_a_.size(); ++c) {
      found |= difference_of_cells({a_, cells_a_[c], in_a}, {b_, cells_b_[c], in_b}, rows, total);
    }
    return found;
  }

  struct Side {
    const BankBlock& block;
    ColumnCells cells;
    std::span<const BankOccurrence> tables;
  };
  static constexpr std::size_t kMostGathered = 8192;
  using Gathered = std::array<std::byte, kMostGathered + kCopySlack>;

  // Of one column. Short runs are brought together first: comparing each would take longer.
  static std::uint64_t difference_of_cells(const Side& a, const Side& b, const RowCounts& rows,
                                           std::uint64_t total_rows) {
    const std::uint64_t bytes = total_rows * a.cells.width;
    if (bytes <= kMostGathered) {
      Gathered gathered_a;
      Gathered gathered_b;
      return difference_of_runs(contiguous(a, rows, gathered_a), contiguous(b, rows, gathered_b),
                                bytes);
    }
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < a.tables.size(); ++i) {
      found |=
          difference_of_runs(a.cells.at(a.tables[i].position, rows[i]),
                             b.cells.at(b.tables[i].position, rows[i]), rows[i] * a.cells.width);
    }
    return found;
  }

  static const std::byte* contiguous(const Side& side, const RowCounts& rows, Gathered& gathered) {
    if (side.block.arrangement == Arrangement::by_column) {
      return side.cells.at(side.tables.front().position, rows[0]);
    }
    gather_cells(side.cells, side.tables, rows, gathered.data());
    return gathered.data();
  }

  const BankBlock& a_;
  const BankBlock& b_;
  const Schema* schema_ = nullptr;
  std::vector<ColumnCells> cells_a_;
  std::vector<ColumnCells> cells_b_;
};

bool are_by_the_same_columns(const BankBlock& a, const BankBlock& b) {
  return a.arrangement == Arrangement::by_column && b.arrangement == Arrangement::by_column &&
         *a.schema == *b.schema;
}

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
  const BankBlock* block;  // null: none
  std::span<const BankOccurrence> occurrences;
  std::uint32_t first_event;
};

void require_equal_blocks(const BlockRun& source, const BlockRun& decoded) {
  const std::size_t count = source.occurrences.size();
  const BankBlock* named = source.block != nullptr ? source.block : decoded.block;
  const auto event_of = [&](std::size_t i) {
    return decoded.first_event + source.occurrences[i].event - source.first_event;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t event = event_of(i);
    const bool has_more = i < decoded.occurrences.size();
    if (!has_more || decoded.occurrences[i].event != event) {
      differ(has_more ? std::min(event, decoded.occurrences[i].event) : event, named, "presence");
    }
    const BankOccurrence& expected = source.occurrences[i];
    const BankOccurrence& found = decoded.occurrences[i];
    if (found.size != expected.size || found.type != expected.type ||
        found.format_length != expected.format_length) {
      differ(event, named, "structure header");
    }
  }
  if (decoded.occurrences.size() > count) {
    differ(decoded.occurrences[count].event, named, "presence");
  }
  if (count == 0) {
    return;
  }
  if (are_by_the_same_columns(*source.block, *decoded.block)) {
    if (!equal_columns(*source.block, source.occurrences, *decoded.block, decoded.occurrences)) {
      differ(event_of(0), named, "a column of this run");
    }
    return;
  }
  const BankComparison comparison(*source.block, *decoded.block);
  if (const auto at = comparison.first_difference(source.occurrences, decoded.occurrences)) {
    differ(event_of(*at), named, "content");
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

// Whether both sides keep all events of the run as stored, which then are equal.
bool have_equal_images(const EventRun& source, const Record& decoded, std::uint32_t at) {
  for (std::uint32_t i = 0; i < source.count; ++i) {
    const auto a = source.record->image(source.first + i);
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

BatchComparison::BatchComparison(const EventBatch& batch) : event_count_(batch.event_count()) {
  std::uint32_t at = 0;
  for (const EventRun& run : batch.runs()) {
    runs_.push_back({&run, at});
    at += run.count;
    for (const BankBlock& block : run.record->blocks()) {
      if (!block.in_events(run.first, run.count).empty()) {
        banks_.push_back(block.key);
      }
    }
  }
  without_images_ = runs_;
  std::sort(banks_.begin(), banks_.end());
  banks_.erase(std::unique(banks_.begin(), banks_.end()), banks_.end());
}

void BatchComparison::require_tags(const Record& decoded) const {
  if (decoded.event_count() != event_count_) {
    throw Error(ErrorCode::corrupt, "verification: " + counted(decoded.event_count(), "event") +
                                        " where " + std::to_string(event_count_) +
                                        std::string(verb_of(event_count_, " was", " were")) +
                                        " written");
  }
  for (const auto& [events, at] : runs_) {
    for (std::uint32_t i = 0; i < events->count; ++i) {
      if (events->record->tag(events->first + i) != decoded.tag(at + i)) {
        differ(at + i, nullptr, "event tag");
      }
    }
  }
}

void BatchComparison::require_sizes(const Record& decoded) const {
  for (const auto& [events, at] : runs_) {
    for (std::uint32_t i = 0; i < events->count; ++i) {
      if (events->record->event_bytes(events->first + i) != decoded.event_bytes(at + i)) {
        differ(at + i, nullptr, "event size");
      }
    }
  }
}

void BatchComparison::require_images(const Record& decoded) {
  std::erase_if(without_images_,
                [&](const Run& run) { return have_equal_images(*run.events, decoded, run.at); });
}

void BatchComparison::require_bank(BankKey key, const BankBlock* decoded) const {
  for (const auto& [events, at] : without_images_) {
    const BankBlock* source = events->record->find(key);
    BlockRun expected{source, {}, events->first};
    BlockRun found{decoded, {}, at};
    if (source != nullptr) {
      expected.occurrences = source->in_events(events->first, events->count);
    }
    if (decoded != nullptr) {
      found.occurrences = decoded->in_events(at, events->count);
    }
    require_equal_blocks(expected, found);
  }
}

void require_equal(const EventBatch& batch, const Record& decoded) {
  BatchComparison comparison(batch);
  comparison.require_tags(decoded);
  comparison.require_sizes(decoded);
  comparison.require_images(decoded);
  for (const BankKey key : comparison.banks()) {
    comparison.require_bank(key, decoded.find(key));
  }
  for (const BankBlock& block : decoded.blocks()) {
    if (!std::binary_search(comparison.banks().begin(), comparison.banks().end(), block.key)) {
      comparison.require_bank(block.key, &block);
    }
  }
}

}  // namespace hipotool::inline v0
