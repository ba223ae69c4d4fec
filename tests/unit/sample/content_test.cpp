#include "sample/generator.hpp"
#include "sample_banks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

constexpr int kManyEvents = 20000;

// Calls `look(event, banks)` for the first `count` events with seed 1.
template <typename Look>
void for_each_event(Profile profile, int count, Look look) {
  EventGenerator generator({.profile = profile, .seed = 1});
  SampleEvent event;
  for (int i = 0; i < count; ++i) {
    generator.next(event);
    const auto banks = banks_of(event, profile);  // throws where the bytes are unsound
    look(event, banks);
  }
}

TEST(SampleDictionary, HasTheExperimentsBanks) {
  const std::vector<Schema>& schemas = app::sample::sample_schemas(Profile::dst);
  EXPECT_GE(schemas.size(), 34U);
  const auto particle = std::ranges::find(schemas, "REC::Particle", &Schema::name);
  ASSERT_NE(particle, schemas.end());
  EXPECT_EQ(particle->key(), (BankKey{300, 31}));
  EXPECT_EQ(particle->text(),
            "{REC::Particle/300/31}{pid/I,px/F,py/F,pz/F,vx/F,vy/F,vz/F,vt/F,charge/B,beta/F,"
            "chi2pid/F,status/S}");
}

TEST(SampleDictionary, NamesAndKeysAreUniqueAndNamesAscend) {
  for (const Profile profile : kProfiles) {
    std::set<BankKey> keys;
    std::string last;
    for (const Schema& schema : app::sample::sample_schemas(profile)) {
      EXPECT_TRUE(keys.insert(schema.key()).second) << schema.name();
      EXPECT_GT(schema.name(), last);
      EXPECT_GT(schema.row_size(), 0U);
      last = schema.name();
    }
  }
}

TEST(SampleConfiguration, KeysAreUniqueAndSayThatTheSampleIsSynthetic) {
  for (const Profile profile : kProfiles) {
    std::map<std::string, std::string> entries;
    for (const auto& [key, value] : app::sample::sample_configuration(profile)) {
      EXPECT_TRUE(entries.emplace(key, value).second) << key;
    }
    EXPECT_EQ(entries["synthetic"], "true");
    EXPECT_EQ(entries["profile"], to_string(profile));
  }
}

TEST(SampleDst, FillsThirtyBanksAndMoreButNotInEveryEvent) {
  std::map<std::string, int> events_with;
  std::uint64_t bytes = 0;
  for_each_event(Profile::dst, kManyEvents, [&](const SampleEvent& event, const auto& banks) {
    bytes += event.bytes.size();
    for (const auto& [name, bank] : banks) {
      ++events_with[name];
    }
  });
  EXPECT_GE(events_with.size(), 45U);
  EXPECT_EQ(events_with["RUN::config"], kManyEvents);
  EXPECT_GT(bytes / kManyEvents, 13000U);
  EXPECT_LT(bytes / kManyEvents, 17000U);
  const auto rare = std::ranges::count_if(
      events_with, [](const auto& entry) { return entry.second < kManyEvents / 4; });
  EXPECT_GE(rare, 10);
  // In the dictionary, as in real files, but in no event.
  EXPECT_GE(app::sample::sample_schemas(Profile::dst).size(), events_with.size() + 5);
  EXPECT_EQ(events_with.count("MC::Particle"), 0U);
}

TEST(SampleTags, OneEventInTwoHundredIsAScalerEventWithTagOne) {
  for (const Profile profile : kProfiles) {
    int scalers = 0;
    for_each_event(profile, 4000, [&](const SampleEvent& event, const auto& banks) {
      ASSERT_LE(event.tag, 1U);
      ASSERT_EQ(banks.count("RUN::scaler"), event.tag);
      ASSERT_EQ(banks.count("RUN::config"), 1U);
      ASSERT_FALSE(event.tag == 1 && banks.count("REC::Particle") != 0);
      scalers += static_cast<int>(event.tag);
    });
    EXPECT_GE(scalers, 20) << to_string(profile);
    EXPECT_LE(scalers, 21) << to_string(profile);
  }
}

TEST(SampleTags, ScalersAndChargeNeverRunBackwards) {
  std::map<std::pair<int, int>, double> counts;
  double charge = 0;
  for_each_event(Profile::dst, kManyEvents, [&](const SampleEvent&, const auto& banks) {
    const auto scaler = banks.find("RAW::scaler");
    for (std::size_t r = 0; scaler != banks.end() && r < scaler->second.rows; ++r) {
      const SampleBank& bank = scaler->second;
      if (bank.integer("helicity", r) == 0) {
        double& last = counts[{bank.integer("crate", r), bank.integer("channel", r)}];
        ASSERT_GE(bank.value("value", r), last);
        last = bank.value("value", r);
      }
    }
    const auto event = banks.find("REC::Event");
    if (event != banks.end()) {
      ASSERT_GE(event->second.value("beamCharge", 0), charge);
      charge = event->second.value("beamCharge", 0);
    }
  });
  EXPECT_GT(charge, 50);
  EXPECT_EQ(counts.size(), 32U);
}

TEST(SampleRun, TheRunChangesSlowlyAndEventNumbersRise) {
  std::set<double> runs;
  std::set<double> torus;
  double last = 0;
  EventGenerator generator({.profile = Profile::tiny, .seed = 1});
  SampleEvent event;
  for (std::uint64_t i = 0; i < 400000; i += 400) {
    generator.seek(i);
    generator.next(event);
    const auto banks = banks_of(event, Profile::tiny);
    const SampleBank& config = banks.at("RUN::config");
    const double time = config.value("timestamp", 0);
    EXPECT_GT(time, last);
    last = time;
    runs.insert(config.value("run", 0));
    torus.insert(config.value("torus", 0));
  }
  EXPECT_EQ(runs.size(), 4U);
  EXPECT_GE(torus.size(), 2U);
  EXPECT_LE(torus.size(), 3U);
  double number = 0;
  for_each_event(Profile::tiny, 1000, [&](const SampleEvent&, const auto& banks) {
    EXPECT_GT(banks.at("RUN::config").value("event", 0), number);
    number = banks.at("RUN::config").value("event", 0);
  });
}

void expect_rows_below(const std::map<std::string, SampleBank>& banks, const std::string& name,
                       const std::string& column, std::size_t limit) {
  const auto bank = banks.find(name);
  for (std::size_t r = 0; bank != banks.end() && r < bank->second.rows; ++r) {
    const int row = bank->second.integer(column, r);
    ASSERT_GE(row, 0) << name << "." << column;
    ASSERT_LT(static_cast<std::size_t>(row), limit) << name << "." << column;
  }
}

TEST(SampleDst, ResponsesNameAParticleThatExists) {
  for_each_event(Profile::dst, 2000, [&](const SampleEvent& event, const auto& banks) {
    if (event.tag != 0) {
      return;
    }
    const std::size_t particles = banks.at("REC::Particle").rows;
    for (const char* name :
         {"REC::Calorimeter", "REC::Scintillator", "REC::Cherenkov", "REC::ForwardTagger",
          "REC::Track", "REC::UTrack", "REC::CovMat", "REC::Traj", "RICH::Particle"}) {
      expect_rows_below(banks, name, "pindex", particles);
    }
  });
}

TEST(SampleDst, ResponsesAreTheRowsOfTheDetectorsOwnBanks) {
  int compared = 0;
  for_each_event(Profile::dst, 2000, [&](const SampleEvent& event, const auto& banks) {
    if (event.tag != 0 || banks.count("REC::Calorimeter") == 0) {
      return;
    }
    const SampleBank& responses = banks.at("REC::Calorimeter");
    const SampleBank& clusters = banks.at("ECAL::clusters");
    ASSERT_EQ(responses.rows, clusters.rows);
    for (std::size_t r = 0; r < responses.rows; ++r) {
      const auto row = static_cast<std::size_t>(responses.integer("index", r));
      for (const char* column : {"sector", "layer", "energy", "time", "x", "y", "z"}) {
        ASSERT_EQ(responses.value(column, r), clusters.value(column, row)) << column;
      }
      ++compared;
    }
    const SampleBank& scintillators = banks.at("REC::Scintillator");
    for (std::size_t r = 0; r < scintillators.rows; ++r) {
      if (scintillators.integer("detector", r) == 12) {
        const auto row = static_cast<std::size_t>(scintillators.integer("index", r));
        ASSERT_EQ(scintillators.value("x", r), banks.at("FTOF::hits").value("x", row));
        ASSERT_EQ(scintillators.integer("component", r),
                  banks.at("FTOF::hits").integer("component", row));
      }
    }
  });
  EXPECT_GT(compared, 10000);
}

TEST(SampleDst, StatusWordsCountTheResponses) {
  for_each_event(Profile::dst, 500, [&](const SampleEvent& event, const auto& banks) {
    if (event.tag != 0) {
      return;
    }
    const SampleBank& particles = banks.at("REC::Particle");
    const auto responses = [&](const char* name, int particle) {
      const auto bank = banks.find(name);
      int count = 0;
      for (std::size_t r = 0; bank != banks.end() && r < bank->second.rows; ++r) {
        count += bank->second.integer("pindex", r) == particle ? 1 : 0;
      }
      return count;
    };
    for (std::size_t p = 0; p < particles.rows; ++p) {
      const int status = particles.integer("status", p);
      const int index = static_cast<int>(p);
      ASSERT_EQ(status < 0, p == 0);
      if (std::abs(status) / 1000 != 1) {  // not the tagger, which has banks of its own
        ASSERT_EQ(std::abs(status) / 100 % 10, responses("REC::Scintillator", index));
        ASSERT_EQ(std::abs(status) / 10 % 10, responses("REC::Calorimeter", index));
        ASSERT_EQ(std::abs(status) % 10, responses("REC::Cherenkov", index));
      }
    }
  });
}

TEST(SampleDst, TheScatteredElectronComesFirstAndItsDistributionsFall) {
  constexpr double kBeam = 10.6;
  int low = 0;
  int middle = 0;
  int high = 0;
  for_each_event(Profile::dst, kManyEvents / 4, [&](const SampleEvent& event, const auto& banks) {
    if (event.tag != 0) {
      return;
    }
    const SampleBank& particles = banks.at("REC::Particle");
    ASSERT_EQ(particles.integer("pid", 0), 11);
    const double px = particles.value("px", 0);
    const double py = particles.value("py", 0);
    const double pz = particles.value("pz", 0);
    const double p = std::sqrt(px * px + py * py + pz * pz);
    const double q2 = 2 * kBeam * (p - pz);
    const double w2 = 0.880 + 2 * 0.938 * (kBeam - p) - q2;
    ASSERT_GT(q2, 0.9);
    ASSERT_GT(w2, 3.8);
    ASSERT_LT(p, kBeam);
    low += q2 < 2 ? 1 : 0;
    middle += q2 >= 2 && q2 < 4 ? 1 : 0;
    high += q2 >= 4 ? 1 : 0;
  });
  EXPECT_GT(low, middle);
  EXPECT_GT(middle, high);
  EXPECT_GT(high, 100);
}

TEST(SampleDst, MultiplicitiesSpread) {
  std::map<std::size_t, int> events;
  std::map<int, int> kinds;
  for_each_event(Profile::dst, 5000, [&](const SampleEvent& event, const auto& banks) {
    if (event.tag == 0) {
      const SampleBank& particles = banks.at("REC::Particle");
      ++events[particles.rows];
      for (std::size_t p = 0; p < particles.rows; ++p) {
        ++kinds[particles.integer("pid", p)];
      }
    }
  });
  EXPECT_GE(events.size(), 10U);
  EXPECT_LT(events[1], 500);
  for (const int pid : {11, 22, 211, -211, 2212, 321, -321, 2112}) {
    EXPECT_GT(kinds[pid], 100) << pid;
  }
  EXPECT_GT(kinds[22], kinds[2112]);
  EXPECT_GT(kinds[211], kinds[321]);
}

TEST(SampleRaw, HitsAreSortedByChannelAndNoChannelRepeats) {
  std::set<std::string> seen;
  for_each_event(Profile::raw, 1000, [&](const SampleEvent&, const auto& banks) {
    for (const auto& [name, bank] : banks) {
      if (!name.ends_with("::adc") && !name.ends_with("::tdc")) {
        continue;
      }
      seen.insert(name);
      std::vector<int> last;
      for (std::size_t r = 0; r < bank.rows; ++r) {
        std::vector<int> channel{bank.integer("sector", r), bank.integer("layer", r),
                                 bank.integer("component", r), bank.integer("order", r)};
        ASSERT_LT(last, channel) << name;
        last = std::move(channel);
      }
    }
  });
  EXPECT_GE(seen.size(), 20U);
}

TEST(SampleRaw, APedestalBelongsToItsChannel) {
  std::map<std::vector<int>, int> pedestals;
  for_each_event(Profile::raw, 500, [&](const SampleEvent&, const auto& banks) {
    const auto bank = banks.find("FTOF::adc");
    for (std::size_t r = 0; bank != banks.end() && r < bank->second.rows; ++r) {
      const SampleBank& hits = bank->second;
      const std::vector<int> channel{hits.integer("sector", r), hits.integer("layer", r),
                                     hits.integer("component", r), hits.integer("order", r)};
      const auto known = pedestals.emplace(channel, hits.integer("ped", r)).first;
      ASSERT_EQ(known->second, hits.integer("ped", r));
    }
  });
  EXPECT_GT(pedestals.size(), 300U);
}

TEST(SampleSkim, HasFewTopologies) {
  std::map<std::string, int> topologies;
  int events = 0;
  for_each_event(Profile::skim, 5000, [&](const SampleEvent& event, const auto& banks) {
    if (event.tag == 0) {
      std::string pids;
      for (std::size_t p = 0; p < banks.at("REC::Particle").rows; ++p) {
        pids += std::to_string(banks.at("REC::Particle").integer("pid", p)) + " ";
      }
      ++topologies[pids];
      ++events;
    }
  });
  std::vector<int> counts;
  counts.reserve(topologies.size());
  for (const auto& [pids, count] : topologies) {
    counts.push_back(count);
  }
  std::ranges::sort(counts, std::greater<>());
  ASSERT_GE(counts.size(), 5U);
  EXPECT_LE(counts.size(), 25U);
  EXPECT_GT(counts[0] + counts[1] + counts[2] + counts[3], events * 7 / 10);
}

TEST(SampleTiny, IsSmall) {
  std::uint64_t bytes = 0;
  std::set<std::size_t> bank_counts;
  for_each_event(Profile::tiny, 5000, [&](const SampleEvent& event, const auto& banks) {
    bytes += event.bytes.size();
    bank_counts.insert(banks.size());
  });
  EXPECT_GT(bytes / 5000, 150U);
  EXPECT_LT(bytes / 5000, 250U);
  EXPECT_EQ(bank_counts, (std::set<std::size_t>{1, 2, 3}));
}

}  // namespace
}  // namespace hipotool::test
