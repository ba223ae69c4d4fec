// Every byte of small files changed in several ways, and every length cut: reading and rewriting
// never crash, hang or take much memory, and where the format has a check never give other events
// unnoticed.

#include "property/mutants.hpp"
#include "support/child.hpp"
#include "support/limits.hpp"
#include "support/oracle.hpp"
#include "support/temp_dir.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

// What reading gave: a digest, or that it failed, or that the file says itself that it is not
// whole.
struct Reading {
  std::string digest;
  bool failed = false;
  IndexState index = IndexState::valid;
};

class Sweep {
 public:
  explicit Sweep(const Bytes& file) : unchecked_(open_bytes(file)), original_(read(file)) {}

  void change_every_byte(const Bytes& file) {
    for (std::size_t offset = 0; offset < file.size(); ++offset) {
      for (const unsigned mask : masks()) {
        Bytes changed = file;
        changed[offset] ^= static_cast<std::byte>(mask);
        where_ = fmt::format("byte {} ^ {:#x}", offset, mask);
        const Reading reading = read(changed);
        ++changes_;
        if (noticed(reading)) {
          ++noticed_;
        } else if (!unchecked_.contains(offset)) {
          complain("other events, unnoticed");
        }
        if (offset % 8 == 0 || (!reading.failed && !is_sanitized())) {
          rewrite_as_read(changed, reading);
        }
      }
    }
  }

  void cut_everywhere(const Bytes& file) {
    std::set<std::uint64_t> ends;  // of records, where an unfinished file may well end
    const FileReader whole = open_bytes(file);
    for (const RecordEntry& entry : whole.records()) {
      ends.insert(entry.offset);
    }
    for (std::size_t size = 0; size < file.size(); ++size) {
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      where_ = fmt::format("cut to {}", size);
      const Reading reading = read(cut);
      if (!noticed(reading) && !(whole.index() == IndexState::absent && ends.contains(size))) {
        complain("fewer events, unnoticed");
      }
      if (!reading.failed || size % 16 == 0) {
        rewrite_as_read(cut, reading);
      }
    }
  }

  [[nodiscard]] std::string result() const { return complaints_.empty() ? "fine" : complaints_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  [[nodiscard]] std::uint64_t noticed_changes() const { return noticed_; }

 private:
  static std::vector<unsigned> masks() {
    return is_sanitized() ? std::vector{0x01U, 0xFFU} : std::vector{0x01U, 0x10U, 0x80U, 0xFFU};
  }

  [[nodiscard]] bool noticed(const Reading& reading) const {
    return reading.failed || reading.digest == original_.digest || reading.index != original_.index;
  }

  static Reading read(const Bytes& file) {
    Reading reading;
    const auto failure = failure_of([&] {
      const FileReader reader = open_bytes(file);
      reading.index = reader.index();
      read_narrowly(reader);
      DigestBuilder digest;
      CodecContext context;
      Record record;
      std::vector<EventHash> hashes;
      Buffer scratch;
      for (std::size_t index = 0; index < reader.records().size(); ++index) {
        reader.read_record(index, Projection::everything(), context, record);
        hash_events(record, hashes, scratch);
      }
      digest.add(hashes);
      reading.digest = digest_text(digest.finish());
    });
    reading.failed = failure.has_value();
    return reading;
  }

  // One column of one bank and an opaque bank, by the way that fetches single streams.
  static void read_narrowly(const FileReader& reader) {
    const Projection narrow =
        Projection::nothing().add({300, 1}, std::set<std::size_t>{1}).add({320, 7});
    CodecContext context;
    Record record;
    for (std::size_t index = 0; index < reader.records().size(); ++index) {
      static_cast<void>(failure_of([&] { reader.read_record(index, narrow, context, record); }));
    }
  }

  // A rewrite refuses, or writes exactly what reading gives.
  void rewrite_as_read(const Bytes& file, const Reading& reading) {
    std::string digest;
    const auto refusal = failure_of([&] {
      const FileReader reader = open_bytes(file);
      const FileReader* input = &reader;
      AtomicFile target(temp_ / "out.hipo", AtomicFile::Existing::refuse);
      RewriteOptions options;
      options.compression = compression_of(CodecId::lz4, LayoutId::per_column);
      digest =
          digest_text(rewrite(std::span(&input, 1), reader.dictionary_events(), target, options)
                          .digest.value());
    });
    if (!refusal && (reading.failed || digest != reading.digest)) {
      complain("a rewrite gave other events than reading");
    }
    // The data length of a split record is for information, and planning believes it.
    const bool excused = reading.index == IndexState::cut || refusal == ErrorCode::over_budget;
    if (refusal && !reading.failed && !excused) {
      complain("can be read, but not rewritten");
    }
  }

  void complain(const std::string& what) {
    if (complaints_.size() < 2000) {
      complaints_ += "\n" + where_ + ": " + what;
    }
  }

  TempDir temp_;
  Unchecked unchecked_;
  Reading original_;
  std::string where_;
  std::string complaints_;
  std::uint64_t changes_ = 0;
  std::uint64_t noticed_ = 0;
};

class Mutation : public ::testing::TestWithParam<Sample> {
 protected:
  // What the sweep said, with memory and time bounded.
  template <typename Work>
  static std::string swept(Work&& work) {
    return run_in_child([&] {
      // A kilobyte of zstd may stand for 32 MiB, which the format allows it to claim.
      limit_memory_growth(std::uint64_t{GetParam().is_zstd() ? 128U : 24U} << 20);
      limit_time(240);
      Sweep sweep(GetParam().file);
      try {
        work(sweep);
      } catch (const std::exception& error) {
        return sweep.where() + ": " + error.what();
      }
      return sweep.result();
    });
  }
};

TEST_P(Mutation, OfAnyByteIsNoticedWhereTheFormatHasACheck) {
  EXPECT_EQ(swept([](Sweep& sweep) {
              sweep.change_every_byte(GetParam().file);
              if (sweep.noticed_changes() < sweep.changes() / 4) {
                throw std::runtime_error("hardly anything was noticed");
              }
            }),
            "fine");
}

TEST_P(Mutation, ByCuttingIsNoticedAtAnyLength) {
  EXPECT_EQ(swept([](Sweep& sweep) { sweep.cut_everywhere(GetParam().file); }), "fine");
}

INSTANTIATE_TEST_SUITE_P(EverySample, Mutation, ::testing::ValuesIn(samples()),
                         [](const auto& one) {
                           return one.param.name.substr(0, one.param.name.find('.'));
                         });

}  // namespace
}  // namespace hipotool::test
