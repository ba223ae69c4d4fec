// Many bytes of small files changed, one at a time: statistics never crash or take much memory,
// refuse exactly the files that a full read refuses, and what they tell from directories alone is
// never something else than what the events say.

#include "hipotool/scan.hpp"
#include "hipotool/statistics.hpp"

#include "support/child.hpp"
#include "support/error_of.hpp"
#include "support/fixtures.hpp"
#include "support/limits.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

// What directories tell of every layout.
std::string counts_of(const Statistics& statistics) {
  const StatisticsSummary summary = statistics.summary();
  std::string text = fmt::format("{} events, {} empty, {} raw bytes;", summary.events,
                                 summary.empty_events, summary.raw_bytes);
  for (const auto& [tag, events] : summary.events_by_tag) {
    text += fmt::format(" {}x{}", tag, events);
  }
  for (const BankStatistics& bank : statistics.banks()) {
    text += fmt::format("; {} {} {} {} {}", bank.name, bank.events, bank.events_without_rows,
                        bank.rows.value_or(0), bank.raw_bytes);
  }
  return text;
}

// The counts, or the error. Memory that ran out is neither.
std::string outcome_of(const Bytes& file, const StatisticsOptions& options) {
  std::string counts;
  const std::string error =
      error_of([&] { counts = counts_of(collect_statistics(open_bytes(file), options)); });
  if (error.find("no memory for") != std::string::npos) {
    throw std::runtime_error(error);
  }
  return error == "no error" ? counts : "";
}

std::string full_read(const Bytes& file) {
  return error_of([&] {
    scan(
        open_bytes(file), Projection::everything(), {},
        [](const Record&, std::size_t) { return 0; }, [](int, std::size_t) {});
  });
}

std::string sweep(const Bytes& file, const std::vector<unsigned>& masks) {
  StatisticsOptions everything;
  everything.values = true;
  everything.duplicates = true;
  everything.estimate = true;
  StatisticsOptions directories;
  directories.columns = true;
  directories.runs = false;
  std::string complaints;
  std::size_t readable = 0;
  std::size_t swept = 0;
  for (std::size_t offset = 0; offset < file.size(); offset += is_sanitized() ? 7U : 2U) {
    ++swept;
    Bytes changed = file;
    const unsigned mask = masks[offset % masks.size()];
    changed[offset] ^= static_cast<std::byte>(mask);
    const std::string read = full_read(changed);
    const std::string inflated = outcome_of(changed, everything);
    const std::string told = outcome_of(changed, directories);
    readable += read == "no error" ? 1U : 0U;
    if ((read == "no error") == inflated.empty()) {
      complaints += fmt::format("\nbyte {} ^ {:#x}: read: {}, statistics: {}", offset, mask, read,
                                inflated.empty() ? "refused" : inflated);
    } else if (!inflated.empty() && told != inflated) {
      complaints += fmt::format("\nbyte {} ^ {:#x}: directories: {}, events: {}", offset, mask,
                                told, inflated);
    }
  }
  if (readable == 0 || readable == swept) {
    complaints += fmt::format("\n{} of {} can be read: a sweep without a meaning", readable, swept);
  }
  return complaints.empty() ? "fine" : complaints.substr(0, 3000);
}

class StatisticsMutation : public ::testing::TestWithParam<Compression> {};

TEST_P(StatisticsMutation, RefuseWhatReadingRefusesAndNothingElse) {
  const Bytes file =
      read_bytes(std::filesystem::path(HIPO_TEST_DATA_DIR) / fixture_name(GetParam()));
  const bool is_zstd = GetParam().codec == CodecId::zstd;
  EXPECT_EQ(run_in_child([&] {
              // A kilobyte of zstd may stand for 32 MiB, which the format allows it to claim.
              limit_memory_growth(std::uint64_t{is_zstd ? 160U : 64U} << 20);
              limit_time(240);
              try {
                return sweep(file, {0x01, 0xFF, 0x10});
              } catch (const std::exception& error) {
                return std::string(error.what());
              }
            }),
            "fine");
}

std::vector<Compression> available_fixtures() {
  std::vector<Compression> all = fixture_compressions();
  std::erase_if(all, [](const Compression& one) { return !codec_info(one.codec).available; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(EveryFixture, StatisticsMutation,
                         ::testing::ValuesIn(available_fixtures()),
                         [](const auto& one) { return test_name(one.param); });

}  // namespace
}  // namespace hipotool::test
