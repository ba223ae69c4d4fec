#pragma once
// One small content with everything that a bank can be, for tests of what dump shows of it.

#include "support/library.hpp"

#include <filesystem>

namespace hipotool::test {

// Ten events in three records, the last of record word 1: all column types at their limits, arrays,
// composites with a schema and without, opaque, ragged and unknown banks, banks without rows, an
// event without banks, special events, names beyond ASCII, configuration and tag names. Banks are
// in the order of their keys.
[[nodiscard]] FileImage dump_content();
// The same with big-endian records.
[[nodiscard]] FileImage big_endian_dump_content();

void write_as(const FileImage& content, const Compression& compression,
              const std::filesystem::path& target);

}  // namespace hipotool::test
