#include "hipotool/error.hpp"

#include <fmt/format.h>

namespace hipotool::inline v0 {

namespace {
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
}

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::io:
      return "io";
    case ErrorCode::exists:
      return "exists";
    case ErrorCode::no_space:
      return "no_space";
    case ErrorCode::truncated:
      return "truncated";
    case ErrorCode::bad_magic:
      return "bad_magic";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::corrupt:
      return "corrupt";
    case ErrorCode::checksum:
      return "checksum";
    case ErrorCode::changed:
      return "changed";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::type_mismatch:
      return "type_mismatch";
    case ErrorCode::not_representable:
      return "not_representable";
    case ErrorCode::over_budget:
      return "over_budget";
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::cancelled:
      return "cancelled";
  }
  return "unknown";
}

Error::Error(ErrorCode code, std::string message) : Error(code, std::move(message), {}) {}

Error::Error(ErrorCode code, std::string message, ErrorContext context)
    : code_(code), message_(std::move(message)), context_(std::move(context)) {
  compose();
}

OverBudget::OverBudget(std::uint64_t needed_bytes, std::uint64_t allowed_bytes,
                       ErrorContext context)
    : Error(ErrorCode::over_budget,
            fmt::format("needs {0} MiB of memory, {1} MiB are allowed; give --memory {0}MiB",
                        needed_bytes / kMiB + 1, (allowed_bytes + kMiB / 2) / kMiB),
            std::move(context)),
      needed_bytes_(needed_bytes) {}

std::optional<std::uint64_t> Error::offset() const noexcept {
  if (!context_.record_offset) {
    return std::nullopt;
  }
  return *context_.record_offset + context_.offset_in_record.value_or(0);
}

void Error::add_context(const ErrorContext& outer) {
  const auto fill = [](auto& mine, const auto& theirs, bool known) {
    if (!known) {
      mine = theirs;
    }
  };
  fill(context_.path, outer.path, !context_.path.empty());
  fill(context_.record, outer.record, context_.record.has_value());
  fill(context_.record_offset, outer.record_offset, context_.record_offset.has_value());
  fill(context_.offset_in_record, outer.offset_in_record, context_.offset_in_record.has_value());
  fill(context_.event, outer.event, context_.event.has_value());
  fill(context_.bank, outer.bank, !context_.bank.empty());
  fill(context_.column, outer.column, !context_.column.empty());
  compose();
}

void Error::compose() {
  text_.clear();
  const auto out = std::back_inserter(text_);
  if (!context_.path.empty()) {
    fmt::format_to(out, "{}: ", context_.path);
  }
  const std::optional<std::uint64_t> at = offset();
  if (context_.record && at) {
    fmt::format_to(out, "record {} at {:#x}: ", *context_.record, *at);
  } else if (context_.record) {
    fmt::format_to(out, "record {}: ", *context_.record);
  } else if (at) {
    fmt::format_to(out, "at {:#x}: ", *at);
  }
  if (context_.event) {
    fmt::format_to(out, "event {}: ", *context_.event);
  }
  if (!context_.bank.empty() && !context_.column.empty()) {
    fmt::format_to(out, "{}.{}: ", context_.bank, context_.column);
  } else if (!context_.bank.empty() || !context_.column.empty()) {
    fmt::format_to(out, "{}{}: ", context_.bank, context_.column);
  }
  text_ += message_;
}

}  // namespace hipotool::inline v0
