#pragma once
/// An event_queue keeps the pending events in one of two schedulers, which give the same order, and
/// knows the time of the last event.

#include <algorithm>
#include <cstddef>

#include "netsim/engine/heap_queue.hpp"
#include "netsim/engine/ladder_queue.hpp"

namespace onehop::netsim {

enum class queue_kind : std::uint8_t { ladder, heap };

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
  /// Removes and returns the first event, and advances virtual time to it.
  event pop() {
    const event next = ladders_ ? ladder_.pop() : heap_.pop();
    now_ = next.time;
    ++popped_;
    return next;
  }
  [[nodiscard]] picoseconds now() const noexcept { return now_; }
  [[nodiscard]] const kept_event* glimpse(std::size_t ahead) const noexcept {
    return ladder_.glimpse(ahead);
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return ladders_ ? ladder_.size() : heap_.size();
  }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  [[nodiscard]] std::uint64_t popped() const noexcept { return popped_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return ladder_.memory_bytes() + heap_.memory_bytes();
  }

 private:
  bool ladders_;
  std::uint32_t order_ = 0;
  picoseconds now_ = 0;
  std::uint64_t popped_ = 0;
  std::size_t most_ = 0;
  ladder_queue ladder_;
  heap_queue heap_;
};

}  // namespace onehop::netsim
