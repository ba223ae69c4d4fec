#include "hipotool/compression.hpp"
#include "hipotool/error.hpp"

#include "codec/codec.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hipotool::test {
namespace {

template <typename Work>
Error refusal(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was refused";
  return {ErrorCode::cancelled, ""};
}

TEST(Codecs, AreListedInTheOrderOfTheirIds) {
  ASSERT_EQ(codecs().size(), 5U);
  for (std::size_t i = 0; i < codecs().size(); ++i) {
    const auto id = static_cast<CodecId>(i);
    EXPECT_EQ(codecs()[i].id, id);
    EXPECT_EQ(&codec_info(id), &codecs()[i]);
    EXPECT_EQ(codec::codec_row(id).info.id, id);
  }
}

TEST(Codecs, HaveTheLevelsThatTheirLibrariesTake) {
  struct Expected {
    CodecId id;
    int min_level;
    int max_level;
    int default_level;
  };
  for (const Expected& expected :
       {Expected{CodecId::none, 0, 0, 0}, Expected{CodecId::lz4, 0, 0, 0},
        Expected{CodecId::lz4hc, 3, 12, 9}, Expected{CodecId::gzip, 1, 9, 6},
        Expected{CodecId::zstd, 1, 19, 3}}) {
    const CodecInfo& info = codec_info(expected.id);
    EXPECT_EQ(info.min_level, expected.min_level) << info.name;
    EXPECT_EQ(info.max_level, expected.max_level) << info.name;
    EXPECT_EQ(info.default_level, expected.default_level) << info.name;
  }
}

TEST(Codecs, SayWhichLibraryDoesTheWork) {
  EXPECT_TRUE(codec_info(CodecId::none).library.empty());
  EXPECT_TRUE(codec_info(CodecId::lz4).library.starts_with("lz4 1."));
  EXPECT_EQ(codec_info(CodecId::lz4hc).library, codec_info(CodecId::lz4).library);
#ifdef HIPO_HAVE_LIBDEFLATE
  EXPECT_TRUE(codec_info(CodecId::gzip).library.starts_with("libdeflate 1."));
#else
  EXPECT_TRUE(codec_info(CodecId::gzip).library.starts_with("zlib 1."));
#endif
#ifdef HIPO_HAVE_ZSTD
  EXPECT_TRUE(codec_info(CodecId::zstd).library.starts_with("zstd 1."));
#else
  EXPECT_TRUE(codec_info(CodecId::zstd).library.empty());
#endif
}

TEST(Codecs, AllButZstdAreInEveryBuild) {
  for (const CodecInfo& info : codecs()) {
#ifndef HIPO_HAVE_ZSTD
    if (info.id == CodecId::zstd) {
      EXPECT_FALSE(info.available);
      continue;
    }
#endif
    EXPECT_TRUE(info.available) << info.name;
    EXPECT_NO_THROW(static_cast<void>(codec::require_codec(info.id))) << info.name;
  }
}

#ifndef HIPO_HAVE_ZSTD
TEST(Codecs, ABuildWithoutZstdKnowsTheNameAndSaysWhatItLacks) {
  EXPECT_EQ(parse_codec("zstd"), CodecId::zstd);
  const Error error = refusal([] {
    require_usable({CodecId::zstd, LayoutId::per_column, 3, Encodings::none});
  });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_EQ(error.message(), "this build has no zstd (it was configured without libzstd)");
}
#endif

TEST(Spelling, OfCodecsIsReadAsItIsWritten) {
  for (const auto& [id, word] :
       {std::pair{CodecId::none, "none"}, std::pair{CodecId::lz4, "lz4"},
        std::pair{CodecId::lz4hc, "lz4hc"}, std::pair{CodecId::gzip, "gzip"},
        std::pair{CodecId::zstd, "zstd"}}) {
    EXPECT_EQ(to_string(id), word);
    EXPECT_EQ(parse_codec(word), id);
  }
  for (const char* word : {"", "LZ4", "lz4 ", "lz4h", "zlib", "zstd:3"}) {
    EXPECT_EQ(parse_codec(word), std::nullopt) << word;
  }
}

TEST(Spelling, OfLayoutsAndEncodingsIsReadAsItIsWritten) {
  EXPECT_EQ(to_string(LayoutId::per_chunk), "per-chunk");
  EXPECT_EQ(to_string(LayoutId::per_bank), "per-bank");
  EXPECT_EQ(to_string(LayoutId::per_column), "per-column");
  for (const LayoutId id : {LayoutId::per_chunk, LayoutId::per_bank, LayoutId::per_column}) {
    EXPECT_EQ(parse_layout(to_string(id)), id);
  }
  EXPECT_EQ(parse_layout("per_column"), std::nullopt);
  EXPECT_EQ(parse_layout(""), std::nullopt);
  EXPECT_EQ(to_string(Encodings::none), "none");
  EXPECT_EQ(to_string(Encodings::best), "best");
  EXPECT_EQ(parse_encodings("none"), Encodings::none);
  EXPECT_EQ(parse_encodings("best"), Encodings::best);
  EXPECT_EQ(parse_encodings("split"), std::nullopt);
  for (const Encodings encodings : {Encodings::none, Encodings::best, Encodings::automatic}) {
    EXPECT_EQ(parse_encodings(to_string(encodings)), encodings);
  }
  for (const Effort effort : {Effort::full, Effort::automatic}) {
    EXPECT_EQ(parse_effort(to_string(effort)), effort);
  }
  EXPECT_EQ(parse_effort("best"), std::nullopt);
}

TEST(Spelling, OfACompressionNamesTheLevelWhereThereIsOne) {
  EXPECT_EQ(to_string(Compression{CodecId::zstd, LayoutId::per_column, 3, Encodings::none}),
            "zstd:3/per-column");
  EXPECT_EQ(to_string(Compression{CodecId::zstd, LayoutId::per_column, 3, Encodings::best}),
            "zstd:3/per-column+split");
  EXPECT_EQ(to_string(Compression{CodecId::zstd, LayoutId::per_column, 3, Encodings::automatic}),
            "zstd:3/per-column+split+auto");
  EXPECT_EQ(to_string(Compression{CodecId::lz4hc, LayoutId::per_bank, 6, Encodings::none,
                                  Effort::automatic}),
            "lz4hc:6/per-bank+auto");
  EXPECT_EQ(to_string(Compression{CodecId::lz4, LayoutId::per_bank, 0, Encodings::none}),
            "lz4/per-bank");
  EXPECT_EQ(to_string(Compression{CodecId::none, LayoutId::per_chunk, 0, Encodings::none}),
            "none/per-chunk");
  EXPECT_EQ(to_string(Compression{CodecId::lz4hc, LayoutId::per_chunk, 12, Encodings::none}),
            "lz4hc:12/per-chunk");
}

TEST(RequireUsable, TakesExactlyTheLevelsOfTheCodec) {
  for (const CodecInfo& info : codecs()) {
    if (!info.available) {
      continue;
    }
    for (int level = -2; level <= 25; ++level) {
      const Compression compression{info.id, LayoutId::per_bank, level, Encodings::none};
      if (level >= info.min_level && level <= info.max_level) {
        EXPECT_NO_THROW(require_usable(compression)) << info.name << level;
      } else {
        EXPECT_EQ(refusal([&] { require_usable(compression); }).code(), ErrorCode::invalid_argument)
            << info.name << level;
      }
    }
  }
}

TEST(RequireUsable, SaysWhatIsWrong) {
  EXPECT_EQ(refusal([] {
              require_usable({CodecId::lz4hc, LayoutId::per_chunk, 13, Encodings::none});
            }).message(),
            "lz4hc has levels 3 to 12, not 13");
  EXPECT_EQ(refusal([] {
              require_usable({CodecId::lz4, LayoutId::per_chunk, 1, Encodings::none});
            }).message(),
            "lz4 has no levels, so level 1 means nothing");
  EXPECT_EQ(refusal([] {
              require_usable({CodecId::lz4, LayoutId::per_bank, 0, Encodings::best});
            }).message(),
            "encodings best needs layout per-column, not per-bank");
  EXPECT_NO_THROW(require_usable({CodecId::lz4, LayoutId::per_column, 0, Encodings::best}));
}

TEST(ReadableBy, FollowsWhatTheOtherImplementationsKnow) {
  for (const CodecInfo& info : codecs()) {
    for (const LayoutId layout : {LayoutId::per_chunk, LayoutId::per_bank, LayoutId::per_column}) {
      const ReadableBy readers = readable_by({.codec = info.id, .layout = layout});
      const bool whole = layout == LayoutId::per_chunk;
      EXPECT_EQ(readers.cpp_hipo4, whole && info.id != CodecId::gzip && info.id != CodecId::zstd);
      EXPECT_EQ(readers.java, whole && info.id != CodecId::zstd);
      EXPECT_EQ(readers.oxihipo_since, "0.9.0");
    }
    EXPECT_EQ(readable_by({info.id, LayoutId::per_column, 0, Encodings::best}).oxihipo_since, "");
  }
}

TEST(RequirePlausible, DrawsTheLineAtTheLargestRatioOfEachCodec) {
  struct Line {
    CodecId id;
    std::uint64_t stored_bytes;
    std::uint64_t largest_raw_bytes;
  };
  for (const Line& line :
       {Line{CodecId::none, 0, 0}, Line{CodecId::none, 1000, 1000}, Line{CodecId::lz4, 0, 65536},
        Line{CodecId::lz4, 10, 2560 + 65536}, Line{CodecId::lz4hc, 10, 2560 + 65536},
        Line{CodecId::gzip, 10, 10560 + 65536}, Line{CodecId::zstd, 10, 327680 + 65536}}) {
    EXPECT_NO_THROW(codec::require_plausible(line.id, line.largest_raw_bytes, line.stored_bytes));
    const Error error = refusal(
        [&] { codec::require_plausible(line.id, line.largest_raw_bytes + 1, line.stored_bytes); });
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << to_string(line.id);
  }
}

TEST(RequirePlausible, NamesBothSizesAndCannotOverflow) {
  const Error error =
      refusal([] { codec::require_plausible(CodecId::lz4, 0xffffffffffffffffU, 12); });
  EXPECT_EQ(error.message(),
            "lz4: 12 stored bytes cannot hold the 18446744073709551615 bytes announced");
  EXPECT_NO_THROW(
      codec::require_plausible(CodecId::zstd, 0xffffffffffffffffU, 0xffffffffffffffffU));
}

}  // namespace
}  // namespace hipotool::test
