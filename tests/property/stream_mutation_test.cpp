// Files that come through a pipe, with a byte changed or the end missing: what a stream gives is
// what the same bytes give as a file, or an Error.

#include "hipotool/byte_stream.hpp"
#include "hipotool/rewrite.hpp"

#include "property/mutants.hpp"
#include "support/library.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace hipotool::test {
namespace {

// A descriptor to read these bytes from.
class Feed {
 public:
  explicit Feed(ByteSpan bytes) : descriptor_(::memfd_create("feed", MFD_CLOEXEC)) {
    EXPECT_EQ(::write(descriptor_, bytes.data(), bytes.size()),
              static_cast<::ssize_t>(bytes.size()));
    ::lseek(descriptor_, 0, SEEK_SET);
  }
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;
  Feed(Feed&&) = delete;
  Feed& operator=(Feed&&) = delete;
  ~Feed() { ::close(descriptor_); }

  [[nodiscard]] std::shared_ptr<ByteStream> stream() const {
    return std::make_shared<ByteStream>(descriptor_, "stream");
  }

 private:
  int descriptor_;
};

class StreamMutants : public ::testing::TestWithParam<Sample> {
 protected:
  // Digest of what a rewrite makes of it, or the failure: "Error: ...".
  std::string outcome(const FileReader& input) {
    RewriteOptions options;
    options.compression = compression_of(CodecId::none, LayoutId::per_chunk);
    options.threads = 2;
    options.accept_cut = true;
    options.skip_bad = salvage_;
    const FileReader* const inputs[] = {&input};
    AtomicFile target(folder_ / "out.hipo", AtomicFile::Existing::replace);
    const RewriteSummary summary = rewrite(inputs, input.dictionary_events(), target, options);
    return summary.digest.value().ordered + ' ' + std::to_string(summary.events);
  }

  std::string as_stream(ByteSpan bytes) {
    const Feed feed(bytes);
    try {
      const FileReader input(feed.stream(), {.salvage = salvage_});
      std::string result = outcome(input);
      index_ = input.index();
      return result;
    } catch (const Error& error) {
      return std::string("Error: ") + error.what();
    }
  }

  std::string as_file(ByteSpan bytes) {
    try {
      return outcome(open_bytes(bytes));
    } catch (const Error& error) {
      return std::string("Error: ") + error.what();
    }
  }

  static bool failed(const std::string& outcome) { return outcome.starts_with("Error"); }

  TempDir folder_;
  bool salvage_ = false;
  IndexState index_ = IndexState::valid;
};

TEST_P(StreamMutants, GiveWhatAFileGivesOrAnError) {
  Bytes bytes = GetParam().file;
  const bool has_trailer = GetParam().name != "no_trailer.hipo";
  EXPECT_EQ(!failed(as_stream(bytes)), has_trailer);
  for (std::size_t at = 0; at < bytes.size(); at += 5) {
    const std::byte kept = bytes[at];
    bytes[at] ^= std::byte{0x41};
    const std::string stream = as_stream(bytes);
    if (!failed(stream)) {
      EXPECT_EQ(as_file(bytes), stream) << at;
    }
    bytes[at] = kept;
  }
}

TEST_P(StreamMutants, SalvageEndsWhateverIsChanged) {
  salvage_ = true;
  Bytes bytes = GetParam().file;
  for (std::size_t at = 3; at < bytes.size(); at += 11) {
    const std::byte kept = bytes[at];
    bytes[at] ^= std::byte{0xff};
    static_cast<void>(as_stream(bytes));
    bytes[at] = kept;
  }
}

TEST_P(StreamMutants, AreNoFileWhereTheirEndIsMissing) {
  const Bytes& bytes = GetParam().file;
  for (std::size_t size = 0; size < bytes.size(); size += 3) {
    salvage_ = false;
    EXPECT_TRUE(failed(as_stream(ByteSpan(bytes).first(size)))) << size;
    salvage_ = true;
    const std::string salvaged = as_stream(ByteSpan(bytes).first(size));
    EXPECT_TRUE(failed(salvaged) || index_ == IndexState::cut) << size << ' ' << salvaged;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, StreamMutants, ::testing::ValuesIn(samples()),
                         [](const auto& sample) {
                           std::string name = sample.param.name;
                           name.resize(name.find('.'));
                           return name;
                         });

}  // namespace
}  // namespace hipotool::test
