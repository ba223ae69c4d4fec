#include "bench/sampling.hpp"

#include "hipotool/error.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace hipotool::test {
namespace {

using namespace app::bench;

// Stands still unless told otherwise.
class HandClock final : public Clock {
 public:
  [[nodiscard]] Moment now() override { return moment; }
  void advance(double seconds) {
    moment.real_seconds += seconds;
    moment.cpu_seconds += seconds / 2;
  }
  Moment moment{};
};

TimedCell steady_cell(HandClock& clock, std::string name, double seconds, std::uint64_t checksum) {
  return {.name = std::move(name), .run = [&clock, seconds, checksum](Stopwatch& watch) {
            clock.advance(100);  // outside the timed region
            watch.start();
            clock.advance(seconds);
            watch.stop();
            return checksum;
          }};
}

// Times that a cell takes from run to run; the last one repeats.
TimedCell scripted_cell(HandClock& clock, std::deque<double> script) {
  return {.name = "scripted",
          .run = [&clock, script = std::move(script)](Stopwatch& watch) mutable {
            watch.start();
            clock.advance(script.front());
            watch.stop();
            if (script.size() > 1) {
              script.pop_front();
            }
            return std::uint64_t{1};
          }};
}

TEST(Spread, OfKnownNumbers) {
  const std::vector<double> samples{4, 1, 2, 10, 3};
  const Spread spread = spread_of(samples);
  EXPECT_EQ(spread.samples, 5U);
  EXPECT_DOUBLE_EQ(spread.median, 3);
  EXPECT_DOUBLE_EQ(spread.least, 1);
  EXPECT_DOUBLE_EQ(spread.most, 10);
  EXPECT_DOUBLE_EQ(spread.deviation, 1);                       // of 1, 2, 1, 7, 0
  EXPECT_DOUBLE_EQ(spread.variation, 3.5355339059327378 / 4);  // squares 50, by n - 1
  EXPECT_DOUBLE_EQ(spread.noise_floor, 1.31 * spread.variation);
}

TEST(Spread, OfAnEvenNumberHasTheMeanOfTheMiddleTwoAsMedian) {
  const std::vector<double> samples{4, 1, 2, 10};
  EXPECT_DOUBLE_EQ(spread_of(samples).median, 3);
}

TEST(Spread, OfOneSampleOrNoneIsDefined) {
  EXPECT_EQ(spread_of({}).samples, 0U);
  EXPECT_DOUBLE_EQ(spread_of({}).noise_floor, 0);
  const std::vector<double> one{2};
  EXPECT_DOUBLE_EQ(spread_of(one).median, 2);
  EXPECT_DOUBLE_EQ(spread_of(one).variation, 0);
}

TEST(Spread, AboveEightPercentIsNotTrustworthy) {
  Spread spread;
  spread.variation = 0.08;
  EXPECT_TRUE(spread.trustworthy());
  spread.variation = 0.081;
  EXPECT_FALSE(spread.trustworthy());
}

TEST(MeasureCompare, KnowsADifferenceFromNoise) {
  EXPECT_EQ(compare({1.0, 0.05}, {1.04, 0.01}), Verdict::no_measurable_difference);
  EXPECT_EQ(compare({1.0, 0.01}, {0.96, 0.05}), Verdict::no_measurable_difference);
  EXPECT_EQ(compare({1.0, 0.01}, {1.04, 0.01}), Verdict::slower);
  EXPECT_EQ(compare({1.0, 0.01}, {0.96, 0.01}), Verdict::faster);
  EXPECT_EQ(to_string(Verdict::no_measurable_difference), "no measurable difference");
}

TEST(Sampling, GoesRoundByRoundThroughAllCells) {
  HandClock clock;
  const std::vector<TimedCell> cells{steady_cell(clock, "a", 1, 1), steady_cell(clock, "b", 2, 1)};
  std::vector<std::pair<unsigned, std::size_t>> order;
  const auto results =
      measure(cells, {.clock = &clock, .before_run = [&](unsigned round, std::size_t cell) {
                        order.emplace_back(round, cell);
                      }});
  ASSERT_EQ(order.size(), 16U);
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(order[i], std::pair(static_cast<unsigned>(i / 2), i % 2));
  }
  // Seven samples are enough where nothing scatters; the warm-up is none of them.
  EXPECT_EQ(results[0].samples.size(), 7U);
  EXPECT_DOUBLE_EQ(spread_of(results[1].real_seconds()).median, 2);
  EXPECT_DOUBLE_EQ(spread_of(results[1].cpu_seconds()).median, 1);
}

TEST(Sampling, TheWarmUpDoesNotCount) {
  HandClock clock;
  const std::vector<TimedCell> cells{scripted_cell(clock, {50, 1})};
  const auto results = measure(cells, {.clock = &clock});
  EXPECT_EQ(results[0].real_seconds(), std::vector<double>(7, 1.0));
}

TEST(Sampling, GoesOnUntilTheNoiseFloorIsLowEnough) {
  HandClock clock;
  // Seven samples scatter too much; each of those that follow brings the variation down.
  const std::vector<TimedCell> cells{scripted_cell(clock, {1, 1.15, 1})};
  const auto results = measure(cells, {.clock = &clock});
  const std::vector<double> samples = results[0].real_seconds();
  EXPECT_GT(samples.size(), 7U);
  EXPECT_LT(samples.size(), 31U);
  EXPECT_LE(spread_of(samples).noise_floor, 0.05);
  EXPECT_GT(spread_of({samples.data(), samples.size() - 1}).noise_floor, 0.05);
}

TEST(Sampling, EndsAfter31Samples) {
  HandClock clock;
  std::deque<double> script;
  for (int i = 0; i < 40; ++i) {
    script.push_back(i % 2 == 0 ? 1 : 2);
  }
  const std::vector<TimedCell> cells{scripted_cell(clock, script)};
  EXPECT_EQ(measure(cells, {.clock = &clock})[0].samples.size(), 31U);
}

TEST(Sampling, ASettledCellIsLeftAloneWhileOthersGoOn) {
  HandClock clock;
  const std::vector<TimedCell> cells{steady_cell(clock, "steady", 1, 1),
                                     scripted_cell(clock, {1, 1.15, 1})};
  const auto results = measure(cells, {.clock = &clock});
  EXPECT_EQ(results[0].samples.size(), 7U);
  EXPECT_GT(results[1].samples.size(), 7U);
}

TEST(Sampling, ATimeLimitLeavesTheLeastNumberOfSamples) {
  HandClock clock;
  std::deque<double> script;
  for (int i = 0; i < 40; ++i) {
    script.push_back(i % 2 == 0 ? 1 : 2);
  }
  const std::vector<TimedCell> cells{scripted_cell(clock, script)};
  EXPECT_EQ(measure(cells, {.clock = &clock, .limit_seconds = 5})[0].samples.size(), 7U);
}

TEST(Sampling, TimesWritesThreeTimes) {
  HandClock clock;
  std::vector<TimedCell> cells{scripted_cell(clock, {1, 2, 3, 4})};
  cells[0].rule = kWriteRule;
  EXPECT_EQ(measure(cells, {.clock = &clock})[0].real_seconds(), (std::vector<double>{1, 2, 3}));
}

std::string failure_of(const std::vector<TimedCell>& cells, HandClock& clock) {
  try {
    static_cast<void>(measure(cells, {.clock = &clock}));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::checksum);
    return error.message();
  }
  return "no failure";
}

TEST(Sampling, FailsWhereCellsOfAGroupReadDifferentValues) {
  HandClock clock;
  std::vector<TimedCell> cells{steady_cell(clock, "a", 1, 1), steady_cell(clock, "b", 1, 2)};
  EXPECT_EQ(failure_of(cells, clock), "no failure");
  cells[0].group = cells[1].group = "all";
  EXPECT_EQ(failure_of(cells, clock),
            "b read other values than a: checksum 0000000000000002 instead of 0000000000000001; "
            "the measurement is void");
}

TEST(Sampling, FailsWhereACellReadsOtherValuesThanExpected) {
  HandClock clock;
  std::vector<TimedCell> cells{steady_cell(clock, "a", 1, 1)};
  cells[0].expected = 1;
  EXPECT_EQ(failure_of(cells, clock), "no failure");
  cells[0].expected = 3;
  EXPECT_TRUE(failure_of(cells, clock).starts_with("a read other values than what is stored"));
}

TEST(Sampling, FailsWhereACellReadsOtherValuesInALaterRun) {
  HandClock clock;
  const std::vector<TimedCell> cells{
      {.name = "moody",
       .run = [runs = std::uint64_t{0}](Stopwatch&) mutable { return ++runs / 4; }}};
  EXPECT_TRUE(failure_of(cells, clock).starts_with("moody read other values than its own first"));
}

}  // namespace
}  // namespace hipotool::test
