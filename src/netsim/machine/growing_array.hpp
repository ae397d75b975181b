#pragma once
/// A growing_array holds data that grows while a machine runs.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "netsim/machine/big_vector.hpp"

namespace onehop::netsim {

/// It grows by remapping its pages, so it is never in memory twice, and the unused room behind the
/// last element takes no memory.
template <class T>
class growing_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  growing_array() = default;
  growing_array(growing_array&& other) noexcept { swap(other); }
  growing_array& operator=(growing_array&& other) noexcept {
    growing_array(std::move(other)).swap(*this);
    return *this;
  }
  ~growing_array() {
    if (things_ != nullptr) big_allocator<T>().deallocate(things_, room_);
  }

  /// Adds an element built from the arguments and returns its number; all elements may move.
  template <class... Arguments>
  std::size_t add(const Arguments&... of) {
    if (size_ == room_) grow();
    std::construct_at(things_ + size_, of...);
    return size_++;
  }
  T& operator[](std::size_t index) noexcept { return things_[index]; }
  const T& operator[](std::size_t index) const noexcept { return things_[index]; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return (is_in_large_pages() ? size_ : room_) * sizeof(T);
  }

 private:
  [[nodiscard]] bool is_in_large_pages() const noexcept {
    return room_ * sizeof(T) >= large_pages::page;
  }
  void swap(growing_array& other) noexcept {
    std::swap(things_, other.things_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }
  void grow() {
    const auto room = std::max<std::size_t>(2 * room_, 16);
    if (is_in_large_pages()) {
      things_ = static_cast<T*>(large_pages::grow(things_, room_ * sizeof(T), room * sizeof(T)));
    } else {
      auto* const moved = big_allocator<T>().allocate(room);
      std::uninitialized_copy_n(things_, size_, moved);
      if (things_ != nullptr) big_allocator<T>().deallocate(things_, room_);
      things_ = moved;
    }
    room_ = room;
  }

  T* things_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

}  // namespace onehop::netsim
