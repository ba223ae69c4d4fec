#pragma once
// Files of one record with a lie in it, and what reading them ends with.

#include "hipotool/error.hpp"

#include "support/child.hpp"
#include "support/directory_images.hpp"
#include "support/error_of.hpp"
#include "support/library.hpp"
#include "support/limits.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace hipotool::test {

inline constexpr std::uint64_t kHostileMemory = std::uint64_t{8} << 20;

inline FileImage hostile_file(const Bytes& record) {
  FileImage file;
  file.schemas = {"{T::n/1/2}{n/I}"};
  file.records = {record};
  return file;
}

// What reading a file of this one record ends with, and with how little memory.
inline std::string outcome_of(const Bytes& record) {
  const Bytes file = hostile_file(record).bytes();
  return run_in_child([&] {
    limit_memory_growth(kHostileMemory);
    return error_of([&] {
      const FileReader reader = open_bytes(file, "hostile.hipo");
      CodecContext context;
      Record decoded;
      for (std::size_t index = 0; index < reader.records().size(); ++index) {
        reader.read_record(index, Projection::everything(), context, decoded);
      }
    });
  });
}

inline std::string outcome_of(const DirectoryImage& image) {
  return outcome_of(image.split().bytes());
}

// The message for damage at `offset` in the record.
inline std::string corrupt_at(std::uint64_t offset, const std::string& message) {
  return fmt::format("corrupt: hostile.hipo: record 0 at {:#x}: {}",
                     hostile_file({}).first_record() + offset, message);
}

inline std::string corrupt(const std::string& message) {
  return corrupt_at(0, message);
}

inline std::string unsupported(const std::string& message) {
  return fmt::format("unsupported: hostile.hipo: record 0 at {:#x}: {}",
                     hostile_file({}).first_record(), message);
}

}  // namespace hipotool::test
