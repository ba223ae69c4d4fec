#include "rewrite/bad_record.hpp"

#include "hipotool/compression.hpp"

namespace hipotool::inline v0::rewriting {

bool is_damage(ErrorCode code) {
  return code == ErrorCode::corrupt || code == ErrorCode::checksum ||
         code == ErrorCode::unsupported || code == ErrorCode::truncated;
}

bool is_bad_record(const RecordHeader& header, const Error& error) {
  return is_damage(error.code()) && codec_info(header.codec).available;
}

}  // namespace hipotool::inline v0::rewriting
