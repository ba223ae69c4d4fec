#pragma once
// Work on a sequence with several threads and get the results back in order. Items are admitted in
// order, worked on in parallel (first), regrouped by a serial step that sees them in order, worked
// on in parallel again (second), and handed to a sink in order, in the calling thread. It knows
// nothing of what the items are.
//
// Memory is bounded by a budget: an item is admitted while its cost fits, or when nothing else is
// under way, so the oldest always gets through. The cost is given back when the last copy of the
// item's ticket is gone, wherever the item's memory has travelled until then.
//
// The first failure in order is thrown from run(), after everything before it has reached the sink.

#include "hipotool/error.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace hipotool::inline v0::pipeline {

// Keeps a share of the budget taken while it lives.
using Ticket = std::shared_ptr<void>;

struct PipelineOptions {
  unsigned threads = 1;
  std::uint64_t budget = 0;
  std::stop_token stop{};
  std::function<void()> worker_hook{};  // before each parallel step; may be empty
};

template <typename Item, typename Middle, typename Batch, typename Output>
struct Stages {
  // The next item, or nullopt at the end. Serial; may wait, which keeps nobody else from working.
  std::function<std::optional<Item>()> next;
  // Makes a waiting next() return, since nothing more is wanted. May be empty.
  std::function<void()> abandon{};
  // What can be done for the next item before a thread is free for it, such as reading it: by the
  // calling thread, while nothing is there for the sink. It must not throw. May be empty; where it
  // is not, next() must not wait.
  std::function<void(Item&)> prepare{};
  std::function<std::uint64_t(const Item&)> cost;
  // `worker` is below PipelineOptions::threads and tells which thread's scratch memory to use.
  std::function<Middle(Item, Ticket, unsigned worker)> first;
  // Zero or more batches that are complete now. Serial, in order, in any of the threads.
  std::function<std::vector<Batch>(Middle)> regroup;
  // What is left at the end.
  std::function<std::vector<Batch>()> finish;
  std::function<Output(Batch, unsigned worker)> second;
  std::function<void(Output)> sink;
};

// Stages with `first` alone: what it makes goes to the sink as it is. The others are to be set.
template <typename Item, typename Done>
[[nodiscard]] Stages<Item, Done, Done, Done> one_step() {
  Stages<Item, Done, Done, Done> stages;
  stages.regroup = [](Done done) {
    std::vector<Done> one;
    one.push_back(std::move(done));
    return one;
  };
  stages.finish = [] { return std::vector<Done>{}; };
  stages.second = [](Done done, unsigned /*worker*/) { return done; };
  return stages;
}

template <typename Item, typename Middle, typename Batch, typename Output>
class OrderedPipeline {
 public:
  using StagesType = Stages<Item, Middle, Batch, Output>;

  OrderedPipeline(StagesType stages, PipelineOptions options)
      : stages_(std::move(stages)),
        options_(std::move(options)),
        budget_(std::make_shared<Budget>()) {
    budget_->limit = options_.budget;
  }

  void run() {
    const std::stop_callback on_stop(options_.stop, [this] {
      const std::lock_guard lock(budget_->mutex);
      cancelled_ = true;
      budget_->changed.notify_all();
    });
    std::vector<std::jthread> workers;
    const JoinOnExit join(*this, workers);
    for (unsigned worker = 0; worker < options_.threads; ++worker) {
      workers.emplace_back([this, worker] { work(worker); });
    }
    drain();
  }

 private:
  // Shared with tickets, which may outlive the pipeline.
  struct Budget {
    std::mutex mutex;
    std::condition_variable changed;
    std::uint64_t limit = 0;
    std::uint64_t used = 0;
  };

  template <typename T>
  struct Outcome {
    std::optional<T> value{};
    std::exception_ptr error{};
  };

  class JoinOnExit {
   public:
    JoinOnExit(OrderedPipeline& pipeline, std::vector<std::jthread>& workers)
        : pipeline_(pipeline), workers_(workers) {}
    JoinOnExit(const JoinOnExit&) = delete;
    JoinOnExit& operator=(const JoinOnExit&) = delete;
    JoinOnExit(JoinOnExit&&) = delete;
    JoinOnExit& operator=(JoinOnExit&&) = delete;
    ~JoinOnExit() {
      bool is_complete = false;
      {
        const std::lock_guard lock(pipeline_.budget_->mutex);
        is_complete = pipeline_.complete_;
        pipeline_.closing_ = true;
        pipeline_.budget_->changed.notify_all();
      }
      if (!is_complete && pipeline_.stages_.abandon) {
        pipeline_.stages_.abandon();
      }
      workers_.clear();  // joins
    }

   private:
    OrderedPipeline& pipeline_;
    std::vector<std::jthread>& workers_;
  };

  template <typename Function>
  static auto attempt(Function&& function) -> Outcome<decltype(function())> {
    try {
      return {function(), nullptr};
    } catch (...) {
      return {std::nullopt, std::current_exception()};
    }
  }

  // With the lock held. Whoever drops a ticket takes the lock: none is dropped with the lock held.
  Ticket take(std::uint64_t cost) {
    budget_->used += cost;
    return Ticket(nullptr, [budget = budget_, cost](void*) {
      const std::lock_guard lock(budget->mutex);
      budget->used -= cost;
      budget->changed.notify_all();
    });
  }

  [[nodiscard]] bool idle() const {
    return running_ == 0 && batches_.empty() && outputs_.empty() && middles_.empty() &&
           !regrouping_ && !sinking_;
  }

  // With the lock held: whether to look one item ahead, so that its cost is known.
  [[nodiscard]] bool may_look_ahead() const {
    return !exhausted_ && !failed_ && !looking_ && !ahead_;
  }

  // With the lock held.
  [[nodiscard]] bool may_prepare() const {
    return stages_.prepare && ahead_ && !is_prepared_ && !failed_ && !ahead_->error &&
           ahead_->value->has_value();
  }

  // With the lock held; it is released meanwhile, but nobody takes the item until this is done.
  void prepare_ahead(std::unique_lock<std::mutex>& lock) {
    is_prepared_ = true;
    preparing_ = true;
    Item& item = **ahead_->value;
    lock.unlock();
    stages_.prepare(item);
    lock.lock();
    preparing_ = false;
    budget_->changed.notify_all();
  }

  void look_ahead(std::unique_lock<std::mutex>& lock) {
    looking_ = true;
    lock.unlock();
    Outcome<std::optional<Item>> item = attempt([&] { return stages_.next(); });
    lock.lock();
    looking_ = false;
    ahead_ = std::move(item);
    budget_->changed.notify_all();
  }

  // With the lock held.
  [[nodiscard]] bool may_admit() {
    if (exhausted_ || failed_ || preparing_ || !ahead_) {
      return false;
    }
    if (ahead_->error || !*ahead_->value) {
      return true;  // an end or a failure costs nothing and must be noted in its place
    }
    return idle() || budget_->used + stages_.cost(**ahead_->value) <= budget_->limit;
  }

  [[nodiscard]] bool may_encode() const {
    // Results wait for the sink; without a bound a slow sink would let them pile up.
    return !batches_.empty() && batches_.front().first < next_output_ + options_.threads + 1;
  }

  void work(unsigned worker) {
    std::unique_lock lock(budget_->mutex);
    while (!closing_ && !cancelled_) {
      if (may_encode()) {
        run_second(lock, worker);
      } else if (may_look_ahead()) {
        look_ahead(lock);
      } else if (may_admit()) {
        admit(lock, worker);
      } else if ((complete_ || failed_) && batches_.empty()) {
        return;
      } else {
        budget_->changed.wait(lock);
      }
    }
  }

  void admit(std::unique_lock<std::mutex>& lock, unsigned worker) {
    Outcome<std::optional<Item>> item = std::move(*ahead_);
    ahead_.reset();
    is_prepared_ = false;
    const std::uint64_t place = next_item_++;
    if (item.error || !*item.value) {
      exhausted_ = true;
      middles_.emplace(place, Outcome<std::optional<Middle>>{
                                  std::optional<std::optional<Middle>>(std::in_place, std::nullopt),
                                  item.error});
      regroup_ready(lock);
      return;
    }
    Ticket ticket = take(stages_.cost(**item.value));
    ++running_;
    lock.unlock();
    Outcome<std::optional<Middle>> middle = attempt([&] {
      call_hook();
      return std::optional<Middle>(
          stages_.first(std::move(**item.value), std::move(ticket), worker));
    });
    ticket.reset();
    lock.lock();
    --running_;
    middles_.emplace(place, std::move(middle));
    regroup_ready(lock);
  }

  // Passes every item whose turn has come to the serial step, one thread at a time; the lock is
  // held between items only.
  void regroup_ready(std::unique_lock<std::mutex>& lock) {
    if (regrouping_) {
      return;  // the thread that is at it will find this item too
    }
    regrouping_ = true;
    while (!failed_ && !middles_.empty() && middles_.begin()->first == next_middle_) {
      Outcome<std::optional<Middle>> middle = std::move(middles_.begin()->second);
      middles_.erase(middles_.begin());
      ++next_middle_;
      const bool last = !middle.error && !*middle.value;
      lock.unlock();
      Outcome<std::vector<Batch>> batches = regroup(std::move(middle));
      lock.lock();
      if (batches.error) {
        fail(batches.error);
        break;
      }
      for (Batch& batch : *batches.value) {
        batches_.emplace_back(next_batch_++, std::move(batch));
      }
      complete_ = last;
    }
    regrouping_ = false;
    budget_->changed.notify_all();
  }

  Outcome<std::vector<Batch>> regroup(Outcome<std::optional<Middle>> middle) {
    if (middle.error) {
      return {std::nullopt, middle.error};
    }
    return attempt([&] {
      return *middle.value ? stages_.regroup(std::move(**middle.value)) : stages_.finish();
    });
  }

  void fail(std::exception_ptr error) {
    failed_ = true;
    outputs_.emplace(next_batch_++, Outcome<Output>{std::nullopt, std::move(error)});
  }

  void run_second(std::unique_lock<std::mutex>& lock, unsigned worker) {
    const std::uint64_t place = batches_.front().first;
    Batch batch = std::move(batches_.front().second);
    batches_.pop_front();
    ++running_;
    lock.unlock();
    Outcome<Output> output = attempt([&] {
      Batch mine = std::move(batch);  // and gone before the lock is taken, with what it holds
      call_hook();
      return stages_.second(std::move(mine), worker);
    });
    lock.lock();
    --running_;
    outputs_.emplace(place, std::move(output));
    budget_->changed.notify_all();
  }

  void call_hook() {
    if (options_.worker_hook) {
      options_.worker_hook();
    }
  }

  // The calling thread: results in order until the end or the first failure.
  void drain() {
    std::unique_lock lock(budget_->mutex);
    while (true) {
      if (cancelled_) {
        throw Error(ErrorCode::cancelled, "stopped on request");
      }
      if (!outputs_.empty() && outputs_.begin()->first == next_output_) {
        Outcome<Output> output = std::move(outputs_.begin()->second);
        outputs_.erase(outputs_.begin());
        sinking_ = true;
        lock.unlock();
        if (output.error) {
          std::rethrow_exception(output.error);
        }
        stages_.sink(std::move(*output.value));
        output.value.reset();
        lock.lock();
        sinking_ = false;
        ++next_output_;
        budget_->changed.notify_all();
      } else if (complete_ && next_output_ == next_batch_) {
        return;
      } else if (stages_.prepare && may_look_ahead()) {
        look_ahead(lock);
      } else if (may_prepare()) {
        prepare_ahead(lock);
      } else {
        budget_->changed.wait(lock);
      }
    }
  }

  StagesType stages_;
  PipelineOptions options_;
  std::shared_ptr<Budget> budget_;

  // All below are guarded by budget_->mutex.
  std::optional<Outcome<std::optional<Item>>> ahead_;
  std::map<std::uint64_t, Outcome<std::optional<Middle>>> middles_;
  std::deque<std::pair<std::uint64_t, Batch>> batches_;
  std::map<std::uint64_t, Outcome<Output>> outputs_;
  std::uint64_t next_item_ = 0;
  std::uint64_t next_middle_ = 0;
  std::uint64_t next_batch_ = 0;
  std::uint64_t next_output_ = 0;
  unsigned running_ = 0;
  bool regrouping_ = false;
  bool sinking_ = false;
  bool looking_ = false;      // a thread is in next()
  bool is_prepared_ = false;  // what is ahead, or it is under way
  bool preparing_ = false;    // the calling thread is at it
  bool exhausted_ = false;    // next() gave its last item
  bool failed_ = false;       // nothing after this point is wanted
  bool complete_ = false;     // all batches are known
  bool closing_ = false;
  bool cancelled_ = false;
};

}  // namespace hipotool::inline v0::pipeline
