#pragma once
// Positional reads from something with a size: a file, or bytes in memory. All reads are const and
// may come from any thread at once. There is no mapping: a file that shrinks is an Error, not a
// signal.

#include "hipotool/bytes.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace hipotool {
inline namespace v0 {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `out` from byte `offset`. Error{truncated} where the source ends before, Error{io} where
  // the system refuses, Error{changed} where a file is shorter than it was when it was opened.
  virtual void read_at(std::uint64_t offset, MutableByteSpan out) const = 0;
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  // For messages: the path, or a name for bytes in memory.
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;
  // Throws Error{changed} if what is being read is no longer what was opened (size or mtime
  // differ).
  virtual void require_unchanged() const = 0;
};

// Opens a regular file for reading. Error{io} with the system's reason; Error{invalid_argument} for
// a directory or a device.
[[nodiscard]] std::shared_ptr<const ByteSource> open_file(const std::filesystem::path& path);

// Takes the bytes over.
[[nodiscard]] std::shared_ptr<const ByteSource> memory_source(Buffer bytes, std::string name);

}  // namespace v0
}  // namespace hipotool
