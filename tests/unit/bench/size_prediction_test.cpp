#include "bench/size_prediction.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hipotool::test {
namespace {

using namespace app::bench;

TEST(SizePrediction, ScalesTheRatioOfTheSampleAndAddsWhatEachFileHas) {
  const std::vector<EncodedSize> records{{1000, 500}, {3000, 1500}};
  const Prediction prediction = predict_file_bytes(
      records, {.raw_bytes = 40'000, .fixed_bytes = 100, .sampled_bytes = 4'000});
  // 20 records have a row each in the index.
  EXPECT_DOUBLE_EQ(prediction.value, 20'000 + 20 * 32 + 100);
  // Nothing scatters, but the last record of a file is never like the others.
  EXPECT_DOUBLE_EQ(prediction.error, 0.01 * prediction.value);
}

TEST(SizePrediction, ScatterMakesTheErrorWiderAndMoreRecordsNarrower) {
  const WholeFile file{.raw_bytes = 1'000'000, .fixed_bytes = 0, .sampled_bytes = 8'000};
  const std::vector<EncodedSize> few{{1000, 500}, {1000, 600}, {1000, 550}};
  std::vector<EncodedSize> many;
  for (int i = 0; i < 10; ++i) {
    many.insert(many.end(), few.begin(), few.end());
  }
  const Prediction wide = predict_file_bytes(few, file);
  const Prediction narrow = predict_file_bytes(many, file);
  EXPECT_GT(wide.error, 2 * narrow.error);
  EXPECT_GT(narrow.error, 0.01 * narrow.value);
  // No more than is known of a single record.
  EXPECT_LE(wide.error, 0.15 * wide.value);
}

TEST(SizePrediction, OfTheWholeFileHasTheLeastError) {
  const std::vector<EncodedSize> records{{1000, 500}, {1000, 700}};
  const Prediction prediction =
      predict_file_bytes(records, {.raw_bytes = 2'000, .fixed_bytes = 0, .sampled_bytes = 2'000});
  EXPECT_DOUBLE_EQ(prediction.error, 0.01 * prediction.value);
  EXPECT_TRUE(prediction.holds(1'264));
  EXPECT_FALSE(prediction.holds(1'300));
}

TEST(SizePrediction, OfOneRecordIsHonestAboutIt) {
  const std::vector<EncodedSize> records{{1000, 500}};
  const Prediction prediction =
      predict_file_bytes(records, {.raw_bytes = 100'000, .fixed_bytes = 0, .sampled_bytes = 1'000});
  EXPECT_NEAR(prediction.error / prediction.value, 0.15, 0.01);
}

}  // namespace
}  // namespace hipotool::test
