#include "hipotool/error.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace hipotool {
namespace {

TEST(Error, SaysWhereAndWhatInOneLine) {
  const Error error(ErrorCode::corrupt, "lz4: corrupt block",
                    {.path = "in.hipo",
                     .record = 17,
                     .record_offset = 0x1c00,
                     .offset_in_record = 0x38,
                     .event = 4,
                     .bank = "REC::Particle",
                     .column = "px"});
  EXPECT_STREQ(error.what(),
               "in.hipo: record 17 at 0x1c38: event 4: REC::Particle.px: lz4: corrupt block");
  EXPECT_EQ(error.message(), "lz4: corrupt block");
  EXPECT_EQ(error.offset(), 0x1c38u);
}

TEST(Error, LeavesOutWhatIsNotKnown) {
  EXPECT_STREQ(Error(ErrorCode::io, "bad day").what(), "bad day");
  EXPECT_STREQ(Error(ErrorCode::io, "bad day", {.path = "x"}).what(), "x: bad day");
  EXPECT_STREQ(Error(ErrorCode::io, "bad day", {.record = 3}).what(), "record 3: bad day");
  EXPECT_STREQ(Error(ErrorCode::io, "bad day", {.record_offset = 16}).what(), "at 0x10: bad day");
  EXPECT_STREQ(Error(ErrorCode::io, "bad day", {.bank = "300/31"}).what(), "300/31: bad day");
  EXPECT_STREQ(Error(ErrorCode::io, "bad day", {.column = "px"}).what(), "px: bad day");
}

TEST(Error, HasNoFileOffsetFromAnOffsetInTheRecordAlone) {
  EXPECT_EQ(Error(ErrorCode::corrupt, "x", {.offset_in_record = 8}).offset(), std::nullopt);
  EXPECT_EQ(Error(ErrorCode::corrupt, "x", {.record_offset = 56}).offset(), 56u);
}

TEST(Error, GainsContextOnTheWayOutAndKeepsTheInnermost) {
  const auto inner = [] { throw Error(ErrorCode::checksum, "differs", {.column = "py"}); };
  const auto middle = [&] {
    with_context([] { return ErrorContext{.bank = "A::b", .column = "not this"}; }, inner);
  };
  const auto outer = [&] {
    with_context([] { return ErrorContext{.path = "f", .record = 2, .record_offset = 64}; },
                 middle);
  };
  try {
    outer();
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "f: record 2 at 0x40: A::b.py: differs");
    EXPECT_EQ(error.code(), ErrorCode::checksum);
  }
}

TEST(WithContext, ReturnsTheResultAndDescribesOnlyFailures) {
  int described = 0;
  const auto describe = [&] {
    ++described;
    return ErrorContext{};
  };
  int value = 5;
  int& same = with_context(describe, [&]() -> int& { return value; });
  EXPECT_EQ(&same, &value);
  EXPECT_EQ(described, 0);
  EXPECT_THROW(with_context(describe, [] { throw std::logic_error("not ours"); }),
               std::logic_error);
  EXPECT_EQ(described, 0);
  EXPECT_THROW(with_context(describe, [] { throw Error(ErrorCode::io, "ours"); }), Error);
  EXPECT_EQ(described, 1);
}

TEST(ErrorCode, HasItsOwnNameAsText) {
  EXPECT_EQ(to_string(ErrorCode::io), "io");
  EXPECT_EQ(to_string(ErrorCode::exists), "exists");
  EXPECT_EQ(to_string(ErrorCode::no_space), "no_space");
  EXPECT_EQ(to_string(ErrorCode::truncated), "truncated");
  EXPECT_EQ(to_string(ErrorCode::bad_magic), "bad_magic");
  EXPECT_EQ(to_string(ErrorCode::unsupported), "unsupported");
  EXPECT_EQ(to_string(ErrorCode::corrupt), "corrupt");
  EXPECT_EQ(to_string(ErrorCode::checksum), "checksum");
  EXPECT_EQ(to_string(ErrorCode::changed), "changed");
  EXPECT_EQ(to_string(ErrorCode::not_found), "not_found");
  EXPECT_EQ(to_string(ErrorCode::type_mismatch), "type_mismatch");
  EXPECT_EQ(to_string(ErrorCode::not_representable), "not_representable");
  EXPECT_EQ(to_string(ErrorCode::over_budget), "over_budget");
  EXPECT_EQ(to_string(ErrorCode::invalid_argument), "invalid_argument");
  EXPECT_EQ(to_string(ErrorCode::cancelled), "cancelled");
}

}  // namespace
}  // namespace hipotool
