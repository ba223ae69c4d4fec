#include "pipeline/recycler.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace hipotool::test {
namespace {

using pipeline::Recycler;

TEST(Recycler, HandsOutUsedObjectsAgain) {
  Recycler<std::vector<int>> pool;
  auto first = pool.take();
  first->assign(1000, 7);
  const int* memory = first->data();
  first.reset();
  const auto second = pool.take();
  EXPECT_EQ(second->data(), memory);
  EXPECT_EQ(second->size(), 1000U);  // as it was left; its user clears it
  EXPECT_NE(pool.take()->data(), memory);
}

TEST(Recycler, ReleasesWhatIsToBeKeptWithTheLastPointer) {
  Recycler<int> pool;
  auto kept = std::make_shared<int>(1);
  auto object = pool.take(kept);
  auto copy = object;
  EXPECT_EQ(kept.use_count(), 2);
  object.reset();
  EXPECT_EQ(kept.use_count(), 2);
  copy.reset();
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(Recycler, MayGoBeforeItsObjects) {
  std::shared_ptr<int> object;
  {
    Recycler<int> pool;
    object = pool.take();
    *object = 5;
  }
  EXPECT_EQ(*object, 5);
}

TEST(RecyclerThreads, MayTakeAndGiveBackAtOnce) {
  Recycler<std::vector<int>> pool;
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&pool, thread] {
      for (int i = 0; i < 1000; ++i) {
        const auto mine = pool.take();
        mine->assign(10, thread);
        EXPECT_EQ(mine->back(), thread);
      }
    });
  }
}

}  // namespace
}  // namespace hipotool::test
