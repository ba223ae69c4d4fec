#pragma once
// The small files of tests/data: one for each way of storing records, all with the same events.
// Made by make_fixtures, held against what is made today by tests/format/fixtures_test.cpp.

#include "support/library.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace hipotool::test {

// The 15 pairs of codec and layout and one per-column file of version 3, available here or not.
[[nodiscard]] std::vector<Compression> fixture_compressions();
[[nodiscard]] std::string fixture_name(const Compression& compression);
// What made the stored bytes: the codec's library, and that of directories. "-" where nothing is
// compressed.
[[nodiscard]] std::string fixture_libraries(const Compression& compression);

// Twelve events in two records of different user words: every column type, an array column, a
// composite, an opaque bank, zero rows, an empty event; dictionary, configuration and tag names.
[[nodiscard]] FileImage fixture_content();
// The same, stored as asked for.
void write_fixture(const Compression& compression, const std::filesystem::path& target);

}  // namespace hipotool::test
