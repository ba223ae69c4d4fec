#pragma once
// The one exception type of the library. An Error says what went wrong where it was noticed;
// callers on the way out add where that was (path, record, offset, event, bank, column) with
// with_context(). Programs branch on code(), reports print the fields, people read what():
//   in.hipo: record 17 at 0x1c38: REC::Particle.px: lz4: corrupt block
// Absence that is normal (no such bank in this event) is std::optional, never an Error.

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace hipotool {
inline namespace v0 {

enum class ErrorCode {
  io,                 // the operating system refused; the message carries its reason
  exists,             // a target is there and was not to be replaced
  no_space,           // disk full or quota used up
  truncated,          // the file ends before what it announces
  bad_magic,          // not a HIPO file, or not a record where one must be
  unsupported,        // sound as far as can be told, but beyond this build or this library
  corrupt,            // the bytes contradict the format or themselves
  checksum,           // a stored checksum does not match
  changed,            // an input changed while it was being read
  not_found,          // a bank, column or record that was asked for does not exist
  type_mismatch,      // a column was asked for as another type than it has
  not_representable,  // a layout or a limit of the format cannot hold this content
  over_budget,        // does not fit into the memory allowed
  invalid_argument,   // the caller's mistake
  cancelled,          // a stop was requested
};

// The spelling used in JSON reports: "not_found" for ErrorCode::not_found.
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

// Where something happened. Empty strings and unset numbers mean "not known here".
struct ErrorContext {
  std::string path{};
  std::optional<std::uint64_t> record{};            // data record index in its file, from 0
  std::optional<std::uint64_t> record_offset{};     // byte offset of that record in its file
  std::optional<std::uint64_t> offset_in_record{};  // of the damage, from the record's first byte
  std::optional<std::uint64_t> event{};             // event index in its record, from 0
  std::string bank{};                               // schema name, or "group/item"
  std::string column{};
};

class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message);
  Error(ErrorCode code, std::string message, ErrorContext context);

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  // The cause alone, without the trail.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const ErrorContext& context() const noexcept { return context_; }
  // Byte offset of the damage in its file, as exactly as it is known.
  [[nodiscard]] std::optional<std::uint64_t> offset() const noexcept;
  // "path: record N at 0xOFFSET: event E: BANK.COLUMN: message", without the parts not known.
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

  // Fills in what is still unknown; what an inner layer said stays.
  void add_context(const ErrorContext& outer);

 private:
  void compose();

  ErrorCode code_;
  std::string message_;
  ErrorContext context_;
  std::string text_;
};

// A piece of work that takes more memory than it may have; nothing was allocated for it. The
// message names the --memory that would do.
class OverBudget : public Error {
 public:
  OverBudget(std::uint64_t needed_bytes, std::uint64_t allowed_bytes, ErrorContext context = {});

  [[nodiscard]] std::uint64_t needed_bytes() const noexcept { return needed_bytes_; }

 private:
  std::uint64_t needed_bytes_;
};

// Runs `work`; an Error that passes through gains what `describe()` (an ErrorContext) knows.
// `describe` is called only on failure, so building strings in it costs nothing on the good path.
template <typename Describe, typename Work>
decltype(auto) with_context(Describe&& describe, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (Error& error) {
    error.add_context(describe());
    throw;
  }
}

}  // namespace v0
}  // namespace hipotool
