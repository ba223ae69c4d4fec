#pragma once
// Objects with large memory inside, used again and again instead of allocated anew: filling fresh
// pages costs several times what filling used ones does. Thread-safe. Objects may outlive the pool.

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace hipotool::inline v0::pipeline {

template <typename T>
class Recycler {
 public:
  // A default-constructed or a used T; it comes back when the last pointer is gone. Whatever `keep`
  // holds is released at that moment.
  [[nodiscard]] std::shared_ptr<T> take(std::shared_ptr<void> keep = nullptr) {
    std::unique_ptr<T> object;
    {
      const std::lock_guard lock(shelf_->mutex);
      if (!shelf_->objects.empty()) {
        object = std::move(shelf_->objects.back());
        shelf_->objects.pop_back();
      }
    }
    if (!object) {
      object = std::make_unique<T>();
    }
    return std::shared_ptr<T>(object.release(), [shelf = shelf_, keep = std::move(keep)](T* used) {
      std::unique_ptr<T> back(used);
      const std::lock_guard lock(shelf->mutex);
      shelf->objects.push_back(std::move(back));
    });
  }

  // Frees what waits to be used again.
  void release() {
    const std::lock_guard lock(shelf_->mutex);
    shelf_->objects.clear();
  }

 private:
  struct Shelf {
    std::mutex mutex;
    std::vector<std::unique_ptr<T>> objects;
  };
  std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();
};

}  // namespace hipotool::inline v0::pipeline
