#pragma once
/// A heap_queue is a binary heap of events. It is the simple scheduler that the ladder must agree
/// with.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "netsim/engine/event.hpp"

namespace onehop::netsim {

class heap_queue {
 public:
  void push(const event& one) {
    heap_.push_back(one);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const event first = heap_.back();
    heap_.pop_back();
    return first;
  }
  [[nodiscard]] const event& first() const noexcept { return heap_.front(); }
  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return heap_.capacity() * sizeof(event);
  }

 private:
  static bool later(const event& a, const event& b) noexcept { return b < a; }
  std::vector<event> heap_;
};

}  // namespace onehop::netsim
