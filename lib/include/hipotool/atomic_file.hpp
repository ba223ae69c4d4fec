#pragma once
// A file that exists complete or not at all. Bytes go to a hidden sibling ".NAME.<host>.<pid>.part"
// (created O_EXCL, mode 0666 & ~umask, with `replace` the old file's mode); commit() makes it the
// target. Without commit() the destructor removes it. Symbolic links are followed first; a target
// that exists and is not a regular file is refused, since a rename would replace the device or pipe
// itself. One thread at a time.

#include "hipotool/byte_sink.hpp"
#include "hipotool/bytes.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace hipotool {
inline namespace v0 {

class AtomicFile final : public ByteSink {
 public:
  enum class Existing { refuse, replace };

  // Error{exists} if the target is there and is not to be replaced, Error{invalid_argument} if it
  // is not a regular file; Error{io, no_space} otherwise.
  AtomicFile(const std::filesystem::path& target, Existing existing);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() override;

  // Appends. Error{no_space} for ENOSPC, EDQUOT and EFBIG, Error{io} otherwise, both with the path.
  void write(ByteSpan bytes) override;
  [[nodiscard]] bool can_overwrite() const noexcept override { return true; }
  void write_at(std::uint64_t offset, ByteSpan bytes) override;
  [[nodiscard]] std::uint64_t size() const noexcept override;

  // fsync and close: what can fail late, done early. Nothing can be written any more; commit()
  // gives the name.
  void seal();

  // seal(), rename (without replace: RENAME_NOREPLACE, else link and unlink), fsync of the
  // folder; each is checked. Error{exists} if somebody else made the target meanwhile. After an
  // Error the target is as it was, but for a failed sync of the folder: then the file is complete
  // and may not survive a crash of the machine. A folder that cannot be synced at all (EINVAL,
  // ENOTSUP, not readable) is a warning.
  void commit();

  // The resolved target, and the hidden sibling while it exists.
  [[nodiscard]] const std::filesystem::path& target() const noexcept;
  [[nodiscard]] const std::filesystem::path& temporary() const noexcept;
  // Whether the target has been made, by this and out of nothing.
  [[nodiscard]] bool made_target() const noexcept;
  // Seconds that commit() spent syncing, and what it could not do but survives.
  [[nodiscard]] double sync_seconds() const noexcept;
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Hidden siblings that a dead process of this host left beside `target`.
[[nodiscard]] std::vector<std::filesystem::path> find_orphans(const std::filesystem::path& target);

// Whether both paths lead to one file (device and inode), through links of either kind. False where
// either does not exist.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace v0
}  // namespace hipotool
