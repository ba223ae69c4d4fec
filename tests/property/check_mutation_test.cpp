// Every byte of small files changed in three ways, and every length cut: a check never crashes,
// hangs or takes much memory, every file whose events are other ones gets a bad verdict when it is
// held against a digest, and where the format has a check without one too. What is salvaged of a
// changed file is what the check said could be.

#include "hipotool/check.hpp"

#include "property/mutants.hpp"
#include "support/child.hpp"
#include "support/limits.hpp"
#include "support/temp_dir.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace hipotool::test {
namespace {

class CheckSweep {
 public:
  explicit CheckSweep(const Bytes& file)
      : file_(file), unchecked_(open_bytes(file)), digest_(digest_of(file)) {}

  void change_every_byte() {
    for (std::size_t offset = 0; offset < file_.size(); offset += step()) {
      for (const unsigned mask : masks(offset)) {
        Bytes changed = file_;
        changed[offset] ^= static_cast<std::byte>(mask);
        where_ = fmt::format("byte {} ^ {:#x}", offset, mask);
        const bool other_events = judge(changed);
        if (other_events && is_good(last_) && !unchecked_.contains(offset)) {
          complain("other events in bytes that a check covers, and a good verdict");
        }
        if (offset % 8 == 0 && mask == masks(offset).back()) {
          salvage(changed);
        }
      }
    }
  }

  void cut_everywhere() {
    for (std::size_t size = 0; size < file_.size(); size += step()) {
      where_ = fmt::format("cut to {}", size);
      const Bytes cut(file_.begin(), file_.begin() + static_cast<std::ptrdiff_t>(size));
      if (judge(cut) && is_good(last_)) {
        complain("fewer events, and a good verdict");
      }
      if (size % 16 == 0) {
        salvage(cut);
      }
    }
  }

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const std::string& complaints() const { return complaints_; }
  [[nodiscard]] const std::map<std::string, unsigned>& verdicts() const { return verdicts_; }

 private:
  // A thread a check takes its time under sanitizers; other builds see every byte.
  static std::size_t step() { return is_sanitized() ? 2 : 1; }
  static std::vector<unsigned> masks(std::size_t offset) {
    return !is_sanitized()   ? std::vector{0x01U, 0x80U, 0xFFU}
           : offset % 4 == 0 ? std::vector{0x01U}
                             : std::vector{0xFFU};
  }

  static std::shared_ptr<const ByteSource> source_of(const Bytes& bytes) {
    return memory_source(buffer_of(bytes), "mutant.hipo");
  }

  // By plain reading, without what a check is made of.
  static std::string digest_of(const Bytes& bytes) {
    const FileReader reader = open_bytes(bytes);
    CodecContext context;
    Record record;
    std::vector<EventHash> hashes;
    Buffer scratch;
    for (std::size_t index = 0; index < reader.records().size(); ++index) {
      reader.read_record(index, Projection::everything(), context, record);
      hash_events(record, hashes, scratch);
    }
    DigestBuilder digest;
    digest.add(hashes);
    return digest.finish().ordered;
  }

  CheckReport checked(const Bytes& bytes, const CheckOptions& options) {
    CheckReport report = check(source_of(bytes), options);
    for (const CheckFinding& finding : report.findings) {
      if (finding.error && finding.error->code() == ErrorCode::over_budget) {
        complain("takes too much memory: " + finding.message);
      }
    }
    if (is_good(report.verdict) != report.findings.empty()) {
      complain("verdict and findings contradict each other");
    }
    return report;
  }

  // Whether the events are others than before, told by reading them without the checker.
  bool judge(const Bytes& bytes) {
    std::string digest;
    const bool failed = failure_of([&] { digest = digest_of(bytes); }).has_value();
    const bool other_events = failed || digest != digest_;
    const CheckReport plain = checked(bytes, {});
    last_ = plain.verdict;
    ++verdicts_[std::string(to_string(plain.verdict))];
    if (is_good(plain.verdict) || ++bad_ % 4 == 0) {
      hold_against_digest(bytes, plain, other_events);
    }
    if (failed && is_good(plain.verdict)) {
      complain("cannot be read, and yet good");
    }
    if (is_good(plain.verdict)) {
      for (const CheckDepth depth : {CheckDepth::quick, CheckDepth::headers}) {
        if (!is_good(checked(bytes, {.depth = depth}).verdict)) {
          complain("good after a full check, but not after one that is " +
                   std::string(to_string(depth)));
        }
      }
    } else {
      static_cast<void>(checked(bytes, {.depth = CheckDepth::quick}));
    }
    return other_events;
  }

  void hold_against_digest(const Bytes& bytes, const CheckReport& plain, bool other_events) {
    const CheckReport held = checked(bytes, {.expected_digest = digest_});
    if (held.verdict == CheckVerdict::verified || held.verdict == CheckVerdict::differs) {
      ++verdicts_[std::string(to_string(held.verdict))];
    }
    if (other_events && is_good(held.verdict)) {
      complain("other events than those of the digest");
    }
    if (is_good(plain.verdict) && !other_events && held.verdict != CheckVerdict::verified) {
      complain("the same events, but not verified");
    }
    if (!is_good(plain.verdict) && is_good(held.verdict)) {
      complain("bad, but good with the digest");
    }
  }

  void salvage(const Bytes& bytes) {
    const CheckReport report = checked(bytes, {});
    std::uint64_t events = 0;
    const auto refusal = failure_of([&] {
      const FileReader reader(source_of(bytes), {.salvage = true});
      RewriteOptions options{.compression = compression_of(CodecId::lz4, LayoutId::per_chunk)};
      options.accept_cut = true;
      options.skip_bad = true;
      const FileReader* input = &reader;
      // Never committed: a thousand files would wait for the disk.
      AtomicFile target(temp_ / "out.hipo", AtomicFile::Existing::refuse);
      events = rewrite(std::span(&input, 1), reader.dictionary_events(), target, options).events;
    });
    if (refusal && report.good_events.value_or(0) != 0) {
      complain("events could be recovered, but are refused");
    } else if (!refusal && events != report.good_events) {
      complain(fmt::format("{} events recovered", events));
    }
  }

  void complain(const std::string& what) {
    if (complaints_.size() < 2000) {
      complaints_ += "\n" + where_ + ": " + what;
    }
  }

  const Bytes& file_;
  TempDir temp_;
  Unchecked unchecked_;
  std::string digest_;
  unsigned bad_ = 0;  // verdicts
  CheckVerdict last_ = CheckVerdict::consistent;
  std::string where_;
  std::string complaints_;
  std::map<std::string, unsigned> verdicts_;
};

class CheckMutation : public ::testing::TestWithParam<Sample> {
 protected:
  // Prints the verdicts, and fails where one of `classes` got none.
  template <typename Work>
  static void sweep(const std::set<std::string>& classes, Work&& work) {
    const std::string outcome = run_in_child([&] {
      // A thread's stack is 8 MiB of it. A kilobyte of zstd may stand for 32 MiB.
      limit_memory_growth(std::uint64_t{GetParam().is_zstd() ? 64U : 24U} << 20);
      limit_time(120);
      CheckSweep sweep(GetParam().file);
      try {
        work(sweep);
      } catch (const std::exception& error) {
        return sweep.where() + ": " + error.what();
      }
      std::string result;
      for (const auto& [verdict, count] : sweep.verdicts()) {
        result += fmt::format(" {} {}", count, verdict);
      }
      for (const std::string& wanted : classes) {
        if (!sweep.verdicts().contains(wanted)) {
          result += "\nno mutant is " + wanted;
        }
      }
      return result + sweep.complaints();
    });
    std::cout << GetParam().name << ":" << outcome.substr(0, outcome.find('\n')) << "\n";
    EXPECT_EQ(outcome.find('\n'), outcome.npos) << outcome;
    EXPECT_TRUE(outcome.starts_with(" ")) << outcome;
  }

  static bool has_trailer() { return GetParam().name != "no_trailer.hipo"; }
};

TEST_P(CheckMutation, OfAnyByteGetsItsVerdict) {
  std::set<std::string> classes{"differs",   "unreadable", "not-hipo",
                                "truncated", "corrupt",    "index-disagrees"};
  if (has_trailer()) {
    classes.insert({"consistent", "verified"});
  } else {
    classes.insert("no-index");
  }
  sweep(classes, [](CheckSweep& sweep) { sweep.change_every_byte(); });
}

TEST_P(CheckMutation, ByCuttingGetsItsVerdict) {
  std::set<std::string> classes{"empty", "not-hipo", "truncated"};
  if (!has_trailer()) {
    classes.insert("no-index");
  }
  sweep(classes, [](CheckSweep& sweep) { sweep.cut_everywhere(); });
}

INSTANTIATE_TEST_SUITE_P(EverySample, CheckMutation, ::testing::ValuesIn(samples()),
                         [](const auto& one) {
                           return one.param.name.substr(0, one.param.name.find('.'));
                         });

}  // namespace
}  // namespace hipotool::test
