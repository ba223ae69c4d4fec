#include "model/canonical_events.hpp"

#include "base/small_copy.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace hipotool::inline v0 {
namespace {

// What is written at a time should stay in a processor's second cache until it is hashed.
constexpr std::size_t kMostEvents = 32;
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 10U;

constexpr std::size_t kEventBytes = 10;     // EV, tag, number of banks
constexpr std::size_t kTableHeadBytes = 9;  // T, columns, rows
constexpr std::size_t kCompositeBytes = 9;  // C and two lengths
constexpr std::size_t kOpaqueBytes = 7;     // R, type, format length, length

void append_le32(std::vector<std::byte>& out, std::uint32_t value) {
  const std::size_t at = out.size();
  out.resize(at + sizeof value);
  store_le(out.data() + at, value);
}

void append_text(std::vector<std::byte>& out, std::string_view text) {
  append_le32(out, static_cast<std::uint32_t>(text.size()));
  const ByteSpan bytes = std::as_bytes(std::span{text.data(), text.size()});
  out.insert(out.end(), bytes.begin(), bytes.end());
}

template <typename T>
std::byte* put(std::byte* at, T value) {
  store_le(at, value);
  return at + sizeof value;
}

std::byte* put(std::byte* at, ByteSpan bytes) {
  copy_small(at, bytes.data(), bytes.size());
  return at + bytes.size();
}

std::byte* put_composite(std::byte* at, const BankView& bank) {
  const ByteSpan data = bank.contiguous_bytes().value();
  at = put(at, 'C');
  at = put(at, std::uint32_t{bank.format_length()});
  at = put(at, data.first(bank.format_length()));
  at = put(at, bank.size() - bank.format_length());
  return put(at, data.subspan(bank.format_length()));
}

std::byte* put_opaque(std::byte* at, const BankView& bank) {
  at = put(at, 'R');
  at = put(at, bank.type());
  at = put(at, bank.format_length());
  at = put(at, bank.size());
  return put(at, bank.contiguous_bytes().value());
}

}  // namespace

CanonicalEvents::CanonicalEvents(const Record& record, Buffer& scratch)
    : record_(record), scratch_(scratch) {
  std::vector<std::pair<std::string, const BankBlock*>> named;
  for (const BankBlock& block : record.blocks()) {
    named.emplace_back(block.name(), &block);
  }
  std::stable_sort(named.begin(), named.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [name, block] : named) {
    banks_.push_back(bank_of(*block, name));
  }
  places_.resize(banks_.size());
}

CanonicalEvents::Bank CanonicalEvents::bank_of(const BankBlock& block, std::string_view name) {
  Bank bank{&block};
  append_text(bank.name, name);
  if (block.schema != nullptr) {
    for (const ColumnCells& cells : cells_of(block, *block.schema)) {
      const Column& column = block.schema->columns()[bank.parts.size()];
      const std::size_t begin = bank.prefixes.size();
      append_text(bank.prefixes, column.name);
      bank.prefixes.push_back(static_cast<std::byte>(letter_of(column.type)));
      append_le32(bank.prefixes, column.length);
      bank.parts.push_back({nullptr, bank.prefixes.size() - begin, cells});
    }
  }
  bank.table_bytes = kTableHeadBytes + bank.prefixes.size();
  bank.prefixes.resize(bank.prefixes.size() + kCopySlack);
  const std::byte* at = bank.prefixes.data();
  for (ColumnPart& part : bank.parts) {
    part.prefix = at;
    at += part.prefix_size;
  }
  return bank;
}

std::size_t CanonicalEvents::most_together() const noexcept {
  // What was inflated, not the events' own sizes: those are not known where some banks were left
  // out.
  const std::uint64_t bytes = record_.payload.size() / std::max(record_.event_count(), 1U);
  return std::clamp<std::uint64_t>(kMostBytes / std::max<std::uint64_t>(bytes, 1), 1, kMostEvents);
}

std::span<const ByteSpan> CanonicalEvents::write(std::span<const std::uint32_t> events) {
  find_places(events);
  lay_out(events);
  for (std::size_t b = 0; b < banks_.size(); ++b) {
    write_bank(banks_[b], places_[b]);
  }
  return written_;
}

void CanonicalEvents::find_places(std::span<const std::uint32_t> events) {
  for (std::size_t b = 0; b < banks_.size(); ++b) {
    const BankBlock& block = *banks_[b].block;
    const std::vector<BankOccurrence>& all = block.occurrences;
    std::size_t& next = banks_[b].next;
    places_[b].clear();
    std::uint32_t slot = 0;
    for (; next < all.size() && all[next].event <= events.back(); ++next) {
      while (events[slot] < all[next].event) {
        ++slot;
      }
      if (events[slot] == all[next].event) {
        const BankView view(block, all[next]);
        const BankForm form = view.form();
        const std::uint32_t rows = form == BankForm::table ? block.rows(all[next]) : 0;
        places_[b].push_back({&all[next], nullptr, slot, rows, form});
      }
    }
  }
}

// Where each event begins in the scratch memory, and what stands in front of its banks.
void CanonicalEvents::lay_out(std::span<const std::uint32_t> events) {
  std::vector<std::size_t> sizes(events.size(), kEventBytes);
  std::vector<std::uint32_t> counts(events.size());
  for (std::size_t b = 0; b < banks_.size(); ++b) {
    for (const Place& place : places_[b]) {
      sizes[place.slot] += banks_[b].name.size() + place.occurrence->size;
      switch (place.form) {
        case BankForm::table:
          sizes[place.slot] += banks_[b].table_bytes;
          break;
        case BankForm::composite:
          sizes[place.slot] += kCompositeBytes;
          break;
        case BankForm::opaque:
          sizes[place.slot] += kOpaqueBytes;
          break;
      }
      ++counts[place.slot];
    }
  }
  std::size_t total = 0;
  for (const std::size_t size : sizes) {
    total += size + kCopySlack;
  }
  scratch_.resize_discard(total);
  ends_.clear();
  written_.clear();
  std::byte* at = scratch_.data();
  for (std::size_t slot = 0; slot < events.size(); ++slot) {
    written_.emplace_back(at, sizes[slot]);
    std::byte* end = put(put(at, 'E'), 'V');
    ends_.push_back(put(put(end, record_.tag(events[slot])), counts[slot]));
    at += sizes[slot] + kCopySlack;
  }
}

void CanonicalEvents::write_bank(const Bank& bank, std::span<Place> places) {
  std::size_t tables = 0;  // of `places`, moved to the front
  std::uint32_t last_slot = UINT32_MAX;
  const auto flush = [&] {
    write_tables(bank, places.first(tables));
    tables = 0;
  };
  for (const Place& place : places) {
    if (place.slot == last_slot) {
      flush();  // copies reach a little beyond their end, and the same event's next bank comes
                // there
    }
    last_slot = place.slot;
    prefetch(*bank.block, *place.occurrence);
    const BankView view(*bank.block, *place.occurrence);
    std::byte*& end = ends_[place.slot];
    end = put(end, ByteSpan(bank.name));
    switch (place.form) {
      case BankForm::table: {
        std::byte* at = put(end, 'T');
        at = put(at, static_cast<std::uint32_t>(bank.parts.size()));
        at = put(at, place.rows);
        end += bank.table_bytes + view.size();
        places[tables] = place;
        places[tables++].at = at;
        break;
      }
      case BankForm::composite:
        end = put_composite(end, view);
        break;
      case BankForm::opaque:
        end = put_opaque(end, view);
        break;
    }
  }
  flush();
}

void CanonicalEvents::write_tables(const Bank& bank, std::span<Place> tables) {
  // By value: what is written through `at` might else be any of it, for all that the compiler
  // knows, and would be loaded again.
  for (const ColumnPart part : bank.parts) {
    for (Place& table : tables) {
      const std::uint64_t bytes = table.rows * part.cells.width;
      std::byte* at = table.at;
      copy_run(at, part.prefix, part.prefix_size, part.prefix + kCopySlack);
      at += part.prefix_size;
      copy_run(at, part.cells.at(table.occurrence->position, table.rows), bytes, part.cells.end);
      table.at = at + bytes;
    }
  }
}

}  // namespace hipotool::inline v0
