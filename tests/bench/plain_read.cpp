// A plain full read: every record fetched and decoded by the library's scan, and nothing done with
// it. What `check --full` is measured against.
//
//   hipo-read FILE.hipo --threads N
//
// Prints one line: real seconds and events.

#include "hipotool/error.hpp"
#include "hipotool/scan.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

int main(int count, char** words) {
  if (count != 4 || std::string_view(words[2]) != "--threads") {
    std::fputs("usage: hipo-read FILE.hipo --threads N\n", stderr);
    return 2;
  }
  try {
    const auto start = std::chrono::steady_clock::now();
    const hipotool::FileReader reader{std::filesystem::path(words[1])};
    hipotool::ScanOptions options;
    options.threads = static_cast<unsigned>(std::strtoul(words[3], nullptr, 10));
    std::uint64_t events = 0;
    hipotool::scan(
        reader, hipotool::Projection::everything(), options,
        [](const hipotool::Record& record, std::size_t) { return record.event_count(); },
        [&](std::uint32_t in_record, std::size_t) { events += in_record; });
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    std::printf("%.4f %llu\n", elapsed.count(), static_cast<unsigned long long>(events));
    return 0;
  } catch (const hipotool::Error& error) {
    std::fprintf(stderr, "hipo-read: %s\n", error.what());
    return 1;
  }
}
