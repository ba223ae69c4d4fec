#include "hipotool/composite.hpp"

#include "support/event_images.hpp"

#include <gtest/gtest.h>

namespace hipotool::test {
namespace {

TEST(CompositeView, ReadsRowsWithAllTheirFields) {
  const Bytes data =
      joined({text_bytes(std::string_view("i,bd\0\0", 6)), packed(7), packed(std::int8_t{-1}),
              packed(0.5), packed(8), packed(std::int8_t{2}), packed(-2.0)});
  const auto view = CompositeView::of(data, 6);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->format().size(), 6U);
  EXPECT_EQ(view->fields(),
            (std::vector<ColumnType>{ColumnType::i32, ColumnType::i8, ColumnType::f64}));
  EXPECT_EQ(view->rows(), 2U);
  EXPECT_EQ(view->row_bytes(), 13U);
  EXPECT_EQ(load_le<std::int32_t>(view->first_cell(0) + view->row_bytes()), 8);
  EXPECT_EQ(load_le<std::int8_t>(view->first_cell(1)), -1);
  EXPECT_EQ(load_le<double>(view->first_cell(2) + view->row_bytes()), -2.0);
}

TEST(CompositeView, MayHaveNoRows) {
  const auto view = CompositeView::of(text_bytes("lf"), 2);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->rows(), 0U);
}

TEST(CompositeView, IsNoneWithoutFormatFieldOrWholeRows) {
  const Bytes data = joined({text_bytes("if"), packed(1, 2)});
  EXPECT_TRUE(CompositeView::of(data, 2));
  EXPECT_FALSE(CompositeView::of(data, 0));
  EXPECT_FALSE(CompositeView::of(data, 1));               // 9 bytes are no rows of 4
  EXPECT_FALSE(CompositeView::of(data, 11));              // longer than the data
  EXPECT_FALSE(CompositeView::of(text_bytes("xyz"), 3));  // no letter of a type
  EXPECT_FALSE(CompositeView::of(joined({text_bytes("d"), packed(1)}), 1));
}

}  // namespace
}  // namespace hipotool::test
