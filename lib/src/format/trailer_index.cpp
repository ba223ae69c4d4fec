#include "format/trailer_index.hpp"

#include "hipotool/error.hpp"

namespace hipotool::inline v0::format {
namespace {

// Where the five columns begin, in units of rows.
constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kEventsAt = 12;
constexpr std::size_t kFirstWordAt = 16;
constexpr std::size_t kSecondWordAt = 24;

}  // namespace

std::vector<TrailerRow> parse_trailer_index(ByteSpan bank) {
  if (bank.size() % kTrailerRowBytes != 0) {
    throw Error(ErrorCode::corrupt, "the file index is no whole number of rows");
  }
  const std::size_t n = bank.size() / kTrailerRowBytes;
  std::vector<TrailerRow> rows(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto position = load_le<std::int64_t>(bank.data() + 8 * i);
    const auto length = load_le<std::int32_t>(bank.data() + kLengthAt * n + 4 * i);
    const auto events = load_le<std::int32_t>(bank.data() + kEventsAt * n + 4 * i);
    if (position < 0 || length < 0 || events < 0) {
      throw Error(ErrorCode::corrupt, "the file index has a negative field");
    }
    rows[i] = {static_cast<std::uint64_t>(position),
               static_cast<std::uint32_t>(length),
               static_cast<std::uint32_t>(events),
               {load_le<std::uint64_t>(bank.data() + kFirstWordAt * n + 8 * i),
                load_le<std::uint64_t>(bank.data() + kSecondWordAt * n + 8 * i)}};
  }
  return rows;
}

std::vector<std::byte> format_trailer_index(std::span<const TrailerRow> rows) {
  const std::size_t n = rows.size();
  std::vector<std::byte> bank(kTrailerRowBytes * n);
  for (std::size_t i = 0; i < n; ++i) {
    store_le(bank.data() + 8 * i, rows[i].position);
    store_le(bank.data() + kLengthAt * n + 4 * i, rows[i].length_bytes);
    store_le(bank.data() + kEventsAt * n + 4 * i, rows[i].events);
    store_le(bank.data() + kFirstWordAt * n + 8 * i, rows[i].user_words.first);
    store_le(bank.data() + kSecondWordAt * n + 8 * i, rows[i].user_words.second);
  }
  return bank;
}

}  // namespace hipotool::inline v0::format
