#include "sample/generator.hpp"
#include "sample_banks.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace hipotool::test {
namespace {

// FNV-1a over all bytes of the first `count` events.
std::string hash_of(Profile profile, std::uint64_t seed, int count) {
  EventGenerator generator({.profile = profile, .seed = seed});
  SampleEvent event;
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (int i = 0; i < count; ++i) {
    generator.next(event);
    for (const std::byte byte : event.bytes.span()) {
      hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3U;
    }
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string copy_of(const SampleEvent& event) {
  return {reinterpret_cast<const char*>(event.bytes.data()), event.bytes.size()};
}

// Whoever changes the sample changes these; benchmarks before and after are then not comparable.
TEST(SampleDeterminism, AThousandEventsHashToTheFrozenValue) {
  EXPECT_EQ(hash_of(Profile::dst, 1, 1000), "4031088cd3f440d9");
  EXPECT_EQ(hash_of(Profile::raw, 1, 1000), "70633496180053c5");
  EXPECT_EQ(hash_of(Profile::skim, 1, 1000), "b703d3c57c530252");
  EXPECT_EQ(hash_of(Profile::tiny, 1, 1000), "b9bf2a56561bc80d");
  EXPECT_EQ(hash_of(Profile::dst, 0xfedcba9876543210U, 1000), "02e5e1f33b06f0bc");
}

// The C library chooses other machine code for a processor without these; the frozen values must
// not notice. This test runs the one above in such a process.
TEST(SampleDeterminism, DoesNotDependOnTheInstructionsOfTheProcessor) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA '" + self +
      "' --gtest_filter=SampleDeterminism.AThousandEventsHashToTheFrozenValue >/dev/null 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(SampleDeterminism, AnEventFollowsFromTheSeedAndItsNumberAlone) {
  for (const Profile profile : kProfiles) {
    EventGenerator forwards({.profile = profile, .seed = 5});
    std::vector<std::string> events;
    SampleEvent event;
    for (int i = 0; i < 500; ++i) {
      ASSERT_EQ(forwards.position(), static_cast<std::uint64_t>(i));
      forwards.next(event);
      events.push_back(copy_of(event));
    }
    EventGenerator jumping({.profile = profile, .seed = 5});
    for (const std::size_t number : {499U, 0U, 250U, 251U, 3U, 499U}) {
      jumping.seek(number);
      jumping.next(event);
      EXPECT_EQ(copy_of(event), events[number]) << to_string(profile) << " " << number;
      EXPECT_EQ(jumping.position(), number + 1);
    }
  }
}

TEST(SampleDeterminism, AnotherSeedGivesAnotherSample) {
  for (const Profile profile : kProfiles) {
    EXPECT_NE(hash_of(profile, 1, 50), hash_of(profile, 2, 50)) << to_string(profile);
  }
}

TEST(SampleDeterminism, TheFarEndOfALongSampleIsAsSoundAsItsBeginning) {
  for (const Profile profile : kProfiles) {
    EventGenerator generator({.profile = profile, .seed = 1});
    generator.seek(5000000000U);
    SampleEvent event;
    for (int i = 0; i < 500; ++i) {
      generator.next(event);
      ASSERT_NO_THROW(banks_of(event, profile)) << to_string(profile);
    }
  }
}

TEST(SampleProfiles, AreSpelledAsTheyAreRead) {
  for (const Profile profile : kProfiles) {
    EXPECT_EQ(app::sample::parse_profile(to_string(profile)), profile);
  }
  EXPECT_EQ(to_string(Profile::dst), "dst");
  EXPECT_EQ(app::sample::parse_profile("DST"), std::nullopt);
}

}  // namespace
}  // namespace hipotool::test
