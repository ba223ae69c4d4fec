#include "pipeline/ordered_pipeline.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace hipotool::test {
namespace {

using pipeline::PipelineOptions;
using pipeline::Ticket;

// An item's share of the budget as the pipeline sees it.
struct Held {
  int value = 0;
  Ticket ticket{};
};

using Pipeline = pipeline::OrderedPipeline<int, Held, std::vector<Held>, std::vector<Held>>;

// Counts 0, 1, ... `items` - 1 through all stages, `group` of them to a batch.
struct Counting {
  int items = 200;
  int group = 1;
  std::uint64_t cost = 1;
  PipelineOptions options{.threads = 4, .budget = 1000};

  std::vector<int> sunk{};
  std::atomic<std::uint64_t> in_flight = 0;  // cost of items whose ticket lives
  std::atomic<std::uint64_t> most_in_flight = 0;
  std::atomic<int> waiting = 0;  // batches worked on and not yet sunk
  std::atomic<int> most_waiting = 0;

  Pipeline::StagesType stages() {
    Pipeline::StagesType all;
    all.next = [this, at = 0]() mutable { return at < items ? std::optional(at++) : std::nullopt; };
    all.cost = [this](const int&) { return cost; };
    all.first = [this](int item, Ticket ticket, unsigned worker) {
      EXPECT_LT(worker, options.threads);
      raise(most_in_flight, in_flight += cost);
      // Counts until the pipeline's own ticket is given back.
      return Held{item,
                  Ticket(nullptr, [this, kept = std::move(ticket)](void*) { in_flight -= cost; })};
    };
    all.regroup = [this](Held held) {
      open_.push_back(std::move(held));
      std::vector<std::vector<Held>> full;
      if (static_cast<int>(open_.size()) == group) {
        full.push_back(std::move(open_));
        open_ = {};
      }
      return full;
    };
    all.finish = [this] {
      std::vector<std::vector<Held>> rest;
      if (!open_.empty()) {
        rest.push_back(std::move(open_));
      }
      return rest;
    };
    all.second = [this](std::vector<Held> batch, unsigned) {
      raise(most_waiting, ++waiting);
      return batch;
    };
    all.sink = [this](const std::vector<Held>& batch) {
      --waiting;
      for (const Held& held : batch) {
        sunk.push_back(held.value);
      }
    };
    return all;
  }

  void run(Pipeline::StagesType all) { Pipeline(std::move(all), options).run(); }
  void run() { run(stages()); }

  template <typename T>
  static void raise(std::atomic<T>& most, T now) {
    T seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
  }

 private:
  std::vector<Held> open_;
};

std::vector<int> first_numbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::function<void()> delays(std::uint64_t seed, std::uint32_t most_microseconds) {
  auto calls = std::make_shared<std::atomic<std::uint64_t>>(seed);
  return [calls, most_microseconds] {
    Random random(calls->fetch_add(1));
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(most_microseconds)));
  };
}

TEST(OrderedPipelineThreads, SinkInOrder) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    for (const int group : {1, 3, 1000}) {
      Counting counting;
      counting.group = group;
      counting.options.threads = threads;
      counting.options.worker_hook = delays(threads, 50);
      counting.run();
      EXPECT_EQ(counting.sunk, first_numbers(200)) << threads << " threads, groups of " << group;
      EXPECT_EQ(counting.in_flight, 0U);
    }
  }
}

TEST(OrderedPipelineThreads, EndWhereThereIsNothingToDo) {
  Counting counting;
  counting.items = 0;
  counting.run();
  EXPECT_TRUE(counting.sunk.empty());
}

TEST(OrderedPipelineThreads, SinkWhatFinishGivesWithoutAnyItem) {
  Counting counting;
  counting.items = 0;
  auto stages = counting.stages();
  stages.finish = [] { return std::vector<std::vector<Held>>{{Held{7}}, {Held{8}}}; };
  counting.run(stages);
  EXPECT_EQ(counting.sunk, (std::vector<int>{7, 8}));
}

TEST(OrderedPipelineThreads, StayBelowTheBudget) {
  for (const unsigned threads : {1U, 4U, 8U}) {
    Counting counting;
    counting.cost = 10;
    counting.options.threads = threads;
    counting.options.budget = 35;
    counting.options.worker_hook = delays(3, 100);
    counting.run();
    EXPECT_EQ(counting.sunk, first_numbers(200));
    EXPECT_LE(counting.most_in_flight, 35U);
    EXPECT_GE(counting.most_in_flight, 10U);
  }
}

TEST(OrderedPipelineThreads, LetOneItemThroughThatIsLargerThanTheBudget) {
  Counting counting;
  counting.items = 50;
  counting.cost = 100;
  counting.options.budget = 35;
  counting.run();
  EXPECT_EQ(counting.sunk, first_numbers(50));
  EXPECT_EQ(counting.most_in_flight, 100U);
}

TEST(OrderedPipelineThreads, GoOnWhereAGroupIsLargerThanTheBudget) {
  // The serial step keeps 20 items before it lets a batch go; three fit. Nobody else can free
  // memory, so the next item must be let in, one at a time.
  Counting counting;
  counting.group = 20;
  counting.cost = 10;
  counting.options.budget = 30;
  counting.run();
  EXPECT_EQ(counting.sunk, first_numbers(200));
  EXPECT_LE(counting.most_in_flight, 210U);
}

TEST(OrderedPipelineThreads, DoNotRunAheadOfASlowSink) {
  Counting counting;
  counting.options.threads = 3;
  counting.options.budget = 1'000'000;
  auto stages = counting.stages();
  stages.sink = [&, plain = stages.sink](const std::vector<Held>& batch) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    plain(batch);
  };
  counting.run(stages);
  EXPECT_EQ(counting.sunk, first_numbers(200));
  // Two results a thread may wait, and the one being sunk.
  EXPECT_LE(counting.most_waiting, 7);
}

struct Failing {
  int in_first = -1;
  int in_regroup = -1;
  int in_second = -1;
};

Pipeline::StagesType with_failures(Counting& counting, Failing where) {
  auto stages = counting.stages();
  stages.first = [where, plain = stages.first](int item, Ticket ticket, unsigned worker) {
    if (item == where.in_first) {
      throw Error(ErrorCode::corrupt, "first " + std::to_string(item));
    }
    if (item < where.in_first) {  // the others come later in time
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return plain(item, std::move(ticket), worker);
  };
  stages.regroup = [where, plain = stages.regroup](Held held) {
    if (held.value == where.in_regroup) {
      throw Error(ErrorCode::corrupt, "regroup " + std::to_string(held.value));
    }
    return plain(std::move(held));
  };
  stages.second = [where, plain = stages.second](std::vector<Held> batch, unsigned worker) {
    if (batch.front().value == where.in_second) {
      throw Error(ErrorCode::corrupt, "second " + std::to_string(batch.front().value));
    }
    return plain(std::move(batch), worker);
  };
  return stages;
}

std::string failure_of(Counting& counting, Pipeline::StagesType stages) {
  try {
    counting.run(std::move(stages));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

TEST(OrderedPipelineThreads, ReportTheFirstFailureInOrderAndSinkAllBeforeIt) {
  struct Case {
    Failing failing;
    std::string expected;
    int sunk;
  };
  for (const Case& one :
       {Case{{.in_first = 30}, "first 30", 30}, Case{{.in_first = 0}, "first 0", 0},
        Case{{.in_regroup = 40}, "regroup 40", 40}, Case{{.in_second = 50}, "second 50", 50},
        Case{{.in_first = 60, .in_second = 20}, "second 20", 20},
        Case{{.in_first = 20, .in_second = 60}, "first 20", 20},
        Case{{.in_first = 199}, "first 199", 199}}) {
    for (const unsigned threads : {1U, 2U, 8U}) {
      Counting counting;
      counting.options.threads = threads;
      EXPECT_EQ(failure_of(counting, with_failures(counting, one.failing)), one.expected);
      EXPECT_EQ(counting.sunk, first_numbers(one.sunk)) << one.expected << ", threads: " << threads;
      EXPECT_EQ(counting.in_flight, 0U);
    }
  }
}

TEST(OrderedPipelineThreads, ReportAFailureToFindTheNextItem) {
  Counting counting;
  auto stages = counting.stages();
  stages.next = [at = 0]() mutable -> std::optional<int> {
    if (at == 25) {
      throw std::runtime_error("no next item");
    }
    return at++;
  };
  EXPECT_EQ(failure_of(counting, stages), "no next item");
  EXPECT_EQ(counting.sunk, first_numbers(25));
}

// What comes from a pipe may take its time.
TEST(OrderedPipelineThreads, WorkOnWhatIsThereWhileTheNextItemIsWaitedFor) {
  Counting counting;
  counting.items = 20;
  counting.options.threads = 2;
  auto stages = counting.stages();
  std::atomic<int> sunk = 0;
  stages.sink = [&, plain = stages.sink](const std::vector<Held>& batch) {
    plain(batch);
    ++sunk;
  };
  stages.next = [&, at = 0]() mutable -> std::optional<int> {
    while (sunk < at) {
      std::this_thread::yield();
    }
    return at < counting.items ? std::optional(at++) : std::nullopt;
  };
  EXPECT_EQ(failure_of(counting, stages), "none");
  EXPECT_EQ(counting.sunk, first_numbers(20));
}

TEST(OrderedPipelineThreads, PrepareTheNextItemWhileAllThreadsAreAtWork) {
  constexpr int kMark = 1000;
  Counting counting;
  counting.items = 20;
  counting.options.threads = 1;
  auto stages = counting.stages();
  std::atomic<int> prepared = 0;
  const auto caller = std::this_thread::get_id();
  stages.prepare = [&](int& item) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_LT(item, kMark) << "prepared twice";
    item += kMark;
    ++prepared;
  };
  int seen_prepared = 0;
  stages.first = [&, plain = stages.first](int item, const Ticket& ticket, unsigned worker) {
    seen_prepared += item / kMark;
    // Its follower is prepared meanwhile, and the last has none.
    const int at = item % kMark;
    while (at == 10 && prepared == seen_prepared) {
      std::this_thread::yield();
    }
    return plain(at, ticket, worker);
  };
  EXPECT_EQ(failure_of(counting, stages), "none");
  EXPECT_EQ(counting.sunk, first_numbers(20));
  EXPECT_GE(seen_prepared, 1);
  EXPECT_EQ(prepared, seen_prepared);
}

TEST(OrderedPipelineThreads, PrepareNothingBehindAFailure) {
  Counting counting;
  counting.options.threads = 2;
  auto stages = with_failures(counting, {.in_second = 3});
  std::atomic<int> prepared = 0;
  stages.prepare = [&](int&) { ++prepared; };
  EXPECT_EQ(failure_of(counting, stages), "second 3");
  EXPECT_LT(prepared, counting.items);
}

TEST(OrderedPipelineThreads, WaitForNothingAfterAFailure) {
  Counting counting;
  auto stages = with_failures(counting, {.in_second = 3});
  std::atomic<bool> abandoned = false;
  stages.next = [&, at = 0]() mutable -> std::optional<int> {
    while (at == 10 && !abandoned) {
      std::this_thread::yield();
    }
    return at++;
  };
  stages.abandon = [&] { abandoned = true; };
  EXPECT_EQ(failure_of(counting, stages), "second 3");
}

TEST(OrderedPipelineThreads, ReportAFailureAtTheEndAndInTheSink) {
  Counting counting;
  auto stages = counting.stages();
  stages.finish = []() -> std::vector<std::vector<Held>> { throw std::runtime_error("finish"); };
  EXPECT_EQ(failure_of(counting, stages), "finish");
  EXPECT_EQ(counting.sunk, first_numbers(200));
  Counting other;
  auto full = other.stages();
  full.sink = [&, plain = full.sink](const std::vector<Held>& batch) {
    if (batch.front().value == 10) {
      throw std::runtime_error("disk full");
    }
    plain(batch);
  };
  EXPECT_EQ(failure_of(other, full), "disk full");
  EXPECT_EQ(other.sunk, first_numbers(10));
}

TEST(OrderedPipelineThreads, StopWhenAsked) {
  for (const unsigned threads : {1U, 4U}) {
    Counting counting;
    std::stop_source stop;
    counting.items = 1'000'000;
    counting.options.threads = threads;
    counting.options.stop = stop.get_token();
    auto stages = counting.stages();
    stages.sink = [&, plain = stages.sink](const std::vector<Held>& batch) {
      plain(batch);
      if (counting.sunk.size() == 50) {
        stop.request_stop();
      }
    };
    EXPECT_EQ(failure_of(counting, stages), "stopped on request");
    EXPECT_EQ(counting.sunk, first_numbers(50));
    EXPECT_EQ(counting.in_flight, 0U);
  }
}

TEST(OrderedPipelineThreads, DoNothingWhenAskedToStopBefore) {
  Counting counting;
  std::stop_source stop;
  stop.request_stop();
  counting.options.stop = stop.get_token();
  EXPECT_EQ(failure_of(counting, counting.stages()), "stopped on request");
  EXPECT_TRUE(counting.sunk.empty());
}

TEST(OrderedPipelineThreads, StopFromAnotherThreadWhileTheSinkWaits) {
  Counting counting;
  std::stop_source stop;
  counting.options.stop = stop.get_token();
  auto stages = counting.stages();
  std::atomic<bool> reached = false;
  stages.first = [&, plain = stages.first](int item, Ticket ticket, unsigned worker) {
    if (item == 20) {
      reached = true;
      while (!stop.stop_requested()) {
        std::this_thread::yield();
      }
    }
    return plain(item, std::move(ticket), worker);
  };
  const std::jthread other([&] {
    while (!reached) {
      std::this_thread::yield();
    }
    stop.request_stop();
  });
  EXPECT_EQ(failure_of(counting, stages), "stopped on request");
  EXPECT_LE(counting.sunk.size(), 20U);
}

TEST(OrderedPipelineThreads, MayBeOutlivedByTickets) {
  std::vector<Held> kept;
  {
    Counting counting;
    counting.items = 10;
    auto stages = counting.stages();
    stages.first = [](int item, Ticket ticket, unsigned) { return Held{item, std::move(ticket)}; };
    stages.sink = [&](std::vector<Held> batch) { kept.push_back(std::move(batch.front())); };
    counting.run(stages);
  }
  EXPECT_EQ(kept.size(), 10U);
  kept.clear();
}

}  // namespace
}  // namespace hipotool::test
