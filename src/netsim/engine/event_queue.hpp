#pragma once
/// Events to come, by one of two schedulers that give the same order.

#include <algorithm>
#include <cstddef>

#include "netsim/engine/heap_queue.hpp"
#include "netsim/engine/ladder_queue.hpp"
#include "netsim/engine/network.hpp"

namespace onehop::netsim {

class event_queue {
 public:
  explicit event_queue(queue_kind how) : ladders_(how == queue_kind::ladder) {}

  void push(picoseconds time, event_kind kind, std::uint32_t index) {
    const event one{time, order_++, event::pack(kind, index)};
    if (ladders_)
      ladder_.push(one);
    else
      heap_.push(one);
    most_ = std::max(most_, size());
  }
  event pop() { return ladders_ ? ladder_.pop() : heap_.pop(); }
  [[nodiscard]] const event* glimpse(std::size_t ahead) const noexcept {
    return ladder_.glimpse(ahead);
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return ladders_ ? ladder_.size() : heap_.size();
  }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return ladder_.memory_bytes() + heap_.memory_bytes();
  }

 private:
  bool ladders_;
  std::uint32_t order_ = 0;
  std::size_t most_ = 0;
  ladder_queue ladder_;
  heap_queue heap_;
};

}  // namespace onehop::netsim
