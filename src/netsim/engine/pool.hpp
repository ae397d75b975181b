#pragma once
/// A pool has numbered entries for objects that come and go. T has a member `next` (uint32), which
/// links free entries and the queue that an object is in. Adding may move all objects, so keep
/// numbers, not references.

#include <cstddef>
#include <cstdint>

#include "netsim/machine/growing_array.hpp"

namespace onehop::netsim {

template <class T>
class pool {
 public:
  std::uint32_t add() {
    ++live_;
    if (free_ == no_index) return static_cast<std::uint32_t>(things_.add());
    const auto index = free_;
    free_ = things_[index].next;
    return index;
  }
  void remove(std::uint32_t index) {
    things_[index].next = free_;
    free_ = index;
    --live_;
  }
  /// Frees the memory of a pool that holds no objects.
  void release() {
    things_ = {};
    free_ = no_index;
  }
  T& operator[](std::uint32_t index) { return things_[index]; }
  const T& operator[](std::uint32_t index) const { return things_[index]; }
  [[nodiscard]] std::size_t live() const noexcept { return live_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return things_.memory_bytes(); }

 private:
  growing_array<T> things_;
  std::uint32_t free_ = no_index;
  std::size_t live_ = 0;
};

/// A pool_queue links waiting objects of one pool by their `next`.
class pool_queue {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return first_ == no_index; }
  [[nodiscard]] std::uint32_t first() const noexcept { return first_; }

  template <class T>
  void push(pool<T>& all, std::uint32_t index) {
    all[index].next = no_index;
    (is_empty() ? first_ : all[last_].next) = index;
    last_ = index;
  }
  /// Removes and returns the first object; the queue must not be empty.
  template <class T>
  std::uint32_t pop(const pool<T>& all) {
    const auto index = first_;
    first_ = all[index].next;
    return index;
  }

 private:
  std::uint32_t first_ = no_index, last_ = no_index;
};

}  // namespace onehop::netsim
