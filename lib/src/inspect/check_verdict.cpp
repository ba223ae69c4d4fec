#include "inspect/check_verdict.hpp"

namespace hipotool {
inline namespace v0 {
namespace inspect {

int gravity(CheckVerdict verdict) {
  switch (verdict) {
    case CheckVerdict::consistent:
    case CheckVerdict::verified:
      return 0;
    case CheckVerdict::tags_inconsistent:
      return 1;
    case CheckVerdict::unlisted:
      return 2;
    case CheckVerdict::empty:
      return 3;
    case CheckVerdict::no_index:
      return 4;
    case CheckVerdict::index_disagrees:
      return 5;
    case CheckVerdict::differs:
      return 6;
    case CheckVerdict::truncated:
      return 7;
    case CheckVerdict::corrupt:
      return 8;
    case CheckVerdict::not_hipo:
      return 9;
    case CheckVerdict::unreadable:
      return 10;
  }
  return 10;
}

CheckVerdict verdict_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::truncated:
      return CheckVerdict::truncated;
    case ErrorCode::corrupt:
    case ErrorCode::checksum:
      return CheckVerdict::corrupt;
    case ErrorCode::bad_magic:
      // Without a record it is the file header that is none.
      return error.context().record_offset ? CheckVerdict::corrupt : CheckVerdict::not_hipo;
    default:
      return CheckVerdict::unreadable;
  }
}

}  // namespace inspect

std::string_view to_string(CheckVerdict verdict) noexcept {
  switch (verdict) {
    case CheckVerdict::consistent:
      return "consistent";
    case CheckVerdict::verified:
      return "verified";
    case CheckVerdict::differs:
      return "differs";
    case CheckVerdict::unlisted:
      return "unlisted";
    case CheckVerdict::unreadable:
      return "unreadable";
    case CheckVerdict::not_hipo:
      return "not-hipo";
    case CheckVerdict::empty:
      return "empty";
    case CheckVerdict::no_index:
      return "no-index";
    case CheckVerdict::truncated:
      return "truncated";
    case CheckVerdict::corrupt:
      return "corrupt";
    case CheckVerdict::index_disagrees:
      return "index-disagrees";
    case CheckVerdict::tags_inconsistent:
      break;
  }
  return "tags-inconsistent";
}

bool is_good(CheckVerdict verdict) noexcept {
  return verdict == CheckVerdict::consistent || verdict == CheckVerdict::verified;
}

}  // namespace v0
}  // namespace hipotool
