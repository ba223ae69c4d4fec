#include "bench/value_checksum.hpp"

#include "hipotool/bytes.hpp"

#include <algorithm>

namespace hipotool::app::bench {

namespace {

template <typename T>
void add_elements(SequenceSum& into, const std::byte* from, std::uint64_t count) {
  std::uint64_t sum = into.sum;
  std::uint64_t prefixes = into.prefixes;
  for (std::uint64_t i = 0; i < count; ++i) {
    sum += load_le<T>(from + i * sizeof(T));
    prefixes += sum;
  }
  into.sum = sum;
  into.prefixes = prefixes;
  into.count += count;
}

void add_values(SequenceSum& into, const std::byte* from, std::uint64_t count, std::uint32_t size) {
  switch (size) {
    case 1:
      add_elements<std::uint8_t>(into, from, count);
      break;
    case 2:
      add_elements<std::uint16_t>(into, from, count);
      break;
    case 4:
      add_elements<std::uint32_t>(into, from, count);
      break;
    default:
      add_elements<std::uint64_t>(into, from, count);
  }
}

std::uint64_t mixed(std::uint64_t state, std::uint64_t value) {
  // The finaliser of splitmix64.
  std::uint64_t x = state + value + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

std::uint64_t mixed(std::uint64_t state, const SequenceSum& sequence) {
  return mixed(mixed(mixed(state, sequence.count), sequence.sum), sequence.prefixes);
}

// Where a block keeps columns, each holds all cells of all events, one after the other.
bool reads_in_one_go(const BankBlock& block, std::size_t column) {
  return block.arrangement == Arrangement::by_column && column < block.columns.size() &&
         block.columns[column].data() != nullptr;
}

}  // namespace

void SequenceSum::append(const SequenceSum& next) {
  prefixes += next.prefixes + sum * next.count;
  sum += next.sum;
  count += next.count;
}

void ValueChecksum::clear() {
  numbers_ = {};
  for (Bank& bank : banks_) {
    bank.shape = {};
    bank.bytes = {};
    std::fill(bank.columns.begin(), bank.columns.end(), SequenceSum{});
  }
}

void ValueChecksum::add_ones(std::uint64_t count) {
  // 1 + 2 + ... + count, without overflow before the division.
  const std::uint64_t prefixes = count % 2 == 0 ? count / 2 * (count + 1) : (count + 1) / 2 * count;
  numbers_.append({.count = count, .sum = count, .prefixes = prefixes});
}

ValueChecksum::Bank& ValueChecksum::bank_for(BankKey key, std::size_t columns) {
  auto place = std::lower_bound(banks_.begin(), banks_.end(), key,
                                [](const Bank& bank, BankKey other) { return bank.key < other; });
  if (place == banks_.end() || place->key != key) {
    place = banks_.insert(place, Bank{.key = key});
  }
  if (place->columns.size() < columns) {
    place->columns.resize(columns);
  }
  return *place;
}

void ValueChecksum::add_tables(const BankBlock& block, Bank& bank,
                               const std::vector<bool>& wanted) {
  const std::vector<Column>& shapes = block.schema->columns();
  for (std::size_t column = 0; column < shapes.size(); ++column) {
    if (!wanted[column]) {
      continue;
    }
    const std::uint32_t size = size_of(shapes[column].type);
    SequenceSum& into = bank.columns[column];
    if (reads_in_one_go(block, column)) {
      const ByteSpan cells = block.columns[column];
      add_values(into, cells.data(), cells.size() / size, size);
      continue;
    }
    for (const BankOccurrence& occurrence : block.occurrences) {
      if (block.is_table(occurrence)) {
        const std::uint32_t rows = block.rows(occurrence);
        add_values(into, block.cells(occurrence, rows, column),
                   std::uint64_t{rows} * shapes[column].length, size);
      }
    }
  }
}

void ValueChecksum::add(const Record& record, const Projection& projection,
                        std::uint64_t first_event) {
  std::vector<bool> wanted;
  for (const BankBlock& block : record.blocks()) {
    if (!projection.wants(block.key)) {
      continue;
    }
    const std::size_t columns = block.schema == nullptr ? 0 : block.schema->columns().size();
    Bank& bank = bank_for(block.key, columns);
    for (const BankOccurrence& occurrence : block.occurrences) {
      bank.shape.add(first_event + occurrence.event);
      bank.shape.add(occurrence.size);
      if (!block.is_table(occurrence)) {
        // Only banks that lie by event hold others than tables.
        add_elements<std::uint8_t>(bank.bytes, block.bytes.data() + occurrence.position,
                                   occurrence.size);
      }
    }
    wanted.assign(columns, false);
    for (std::size_t column = 0; column < columns; ++column) {
      wanted[column] = projection.wants(block.key, column);
    }
    if (columns != 0) {
      add_tables(block, bank, wanted);
    }
  }
}

void ValueChecksum::append(const ValueChecksum& next) {
  numbers_.append(next.numbers_);
  for (const Bank& bank : next.banks_) {
    Bank& mine = bank_for(bank.key, bank.columns.size());
    mine.shape.append(bank.shape);
    mine.bytes.append(bank.bytes);
    for (std::size_t column = 0; column < bank.columns.size(); ++column) {
      mine.columns[column].append(bank.columns[column]);
    }
  }
}

std::uint64_t ValueChecksum::value() const {
  std::uint64_t state = mixed(0, numbers_);
  for (const Bank& bank : banks_) {
    if (bank.shape.count == 0) {
      continue;
    }
    state = mixed(state, std::uint64_t{bank.key.group} << 8U | bank.key.item);
    state = mixed(mixed(state, bank.shape), bank.bytes);
    for (const SequenceSum& column : bank.columns) {
      state = mixed(state, column);
    }
  }
  return state;
}

std::uint64_t ValueChecksum::values() const {
  std::uint64_t count = numbers_.count;
  for (const Bank& bank : banks_) {
    count += bank.bytes.count;
    for (const SequenceSum& column : bank.columns) {
      count += column.count;
    }
  }
  return count;
}

std::uint64_t checksum_of(ByteSpan bytes) {
  SequenceSum sum;
  add_elements<std::uint64_t>(sum, bytes.data(), bytes.size() / 8);
  const ByteSpan rest = bytes.subspan(bytes.size() / 8 * 8);
  add_elements<std::uint8_t>(sum, rest.data(), rest.size());
  return mixed(0, sum);
}

}  // namespace hipotool::app::bench
