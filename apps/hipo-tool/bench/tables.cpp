#include "bench/tables.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace hipotool::app::bench {

namespace {

constexpr std::array kKinds{
    TableKind{"formats", measure_formats},       TableKind{"levels", measure_levels},
    TableKind{"threads", measure_threads},       TableKind{"record-size", measure_record_sizes},
    TableKind{"memory", measure_budgets},        TableKind{"tiers", measure_tiers},
    TableKind{"tag-filter", measure_tag_filter}, TableKind{"io", measure_input},
};

std::uint64_t number_of(const Row& row, std::string_view fact) {
  for (const Fact& one : row.facts) {
    if (one.name == fact) {
      return std::get<std::uint64_t>(one.value);
    }
  }
  return 0;
}

// -1 where `a` is better, 1 where `b` is, 0 where there is no difference.
int compare_works(const Row& a, const Row& b, std::string_view work) {
  const Spread mine = a.find(work)->real();
  const Spread other = b.find(work)->real();
  switch (compare({mine.median, mine.noise_floor}, {other.median, other.noise_floor})) {
    case Verdict::slower:
      return -1;
    case Verdict::faster:
      return 1;
    default:
      return 0;
  }
}

bool beats(const Row& a, const Row& b, std::string_view size_fact,
           std::span<const std::string_view> works) {
  const std::uint64_t mine = number_of(a, size_fact);
  const std::uint64_t other = number_of(b, size_fact);
  if (mine > other) {
    return false;
  }
  bool better = mine < other;
  for (const std::string_view work : works) {
    const int result = compare_works(a, b, work);
    if (result > 0) {
      return false;
    }
    better = better || result < 0;
  }
  return better;
}

}  // namespace

std::span<const TableKind> table_kinds() noexcept {
  return kKinds;
}

void mark_pareto(Table& table, std::string_view size_fact,
                 std::span<const std::string_view> works) {
  for (Row& row : table.rows) {
    row.pareto = std::none_of(table.rows.begin(), table.rows.end(), [&](const Row& other) {
      return &other != &row && beats(other, row, size_fact, works);
    });
  }
}

std::vector<Compression> default_formats(bool full) {
  std::vector<CodecLevel> wanted{
      {CodecId::lz4, 0}, {CodecId::lz4hc, 4}, {CodecId::zstd, 1}, {CodecId::zstd, 3}};
  if (full) {
    wanted = {{CodecId::none, 0},  {CodecId::lz4, 0},
              {CodecId::lz4hc, 4}, {CodecId::lz4hc, 9},
              {CodecId::gzip, 6},  {CodecId::zstd, 1},
              {CodecId::zstd, 3},  automatic_level(CodecId::lz4hc)};
  }
  std::vector<Compression> formats;
  for (const CodecLevel& one : wanted) {
    if (!codec_info(one.codec).available) {
      continue;
    }
    for (const LayoutId layout : {LayoutId::per_chunk, LayoutId::per_bank, LayoutId::per_column}) {
      if (one.effort == Effort::full || layout != LayoutId::per_chunk) {
        formats.push_back(
            {.codec = one.codec, .layout = layout, .level = one.level, .effort = one.effort});
      }
    }
    const bool is_default =
        one.effort == Effort::full && one.level == codec_info(one.codec).default_level;
    if (full && is_default && one.codec != CodecId::none) {
      formats.push_back({.codec = one.codec,
                         .layout = LayoutId::per_column,
                         .level = one.level,
                         .encodings = Encodings::best});
    }
  }
  return formats;
}

}  // namespace hipotool::app::bench
