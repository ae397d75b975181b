#pragma once
/// A handle is an object's address. Whether an object lies at an address can be checked without
/// accessing it. A handle of a freed object, of another kind of object, or that no call has made is
/// therefore recognized.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#endif

namespace onehop::mpi_abi {

/// A slot_pool is memory for objects of one size. It allocates chunks, each as large as all before
/// it together, and never frees them, since handles are used until the process ends. For the same
/// reason it has no destructor.
template <std::size_t bytes>
class slot_pool {
 public:
  void* take() {
    if (free_ == nullptr) grow();
    slot* const taken = std::exchange(free_, free_->next);
    taken->used = true;
    ASAN_UNPOISON_MEMORY_REGION(taken->object, bytes);
    return taken->object;
  }
  /// Frees the memory of an object that has ended.
  void give(void* object) noexcept {
    slot* const given = reinterpret_cast<slot*>(object);
    given->used = false;
    given->next = std::exchange(free_, given);
    ASAN_POISON_MEMORY_REGION(given->object, bytes);
  }
  /// Returns whether an object lies at the address.
  bool has(const void* address) const noexcept {
    for (std::size_t i = chunk_count_; i-- > 0;) {
      const std::uintptr_t place =
          reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(chunks_[i]);
      if (place < (first_slots << i) * sizeof(slot))
        return place % sizeof(slot) == 0 && chunks_[i][place / sizeof(slot)].used;
    }
    return false;
  }

 private:
  struct slot {
    alignas(std::max_align_t) std::byte object[bytes];
    slot* next;
    bool used;
  };
  static constexpr std::size_t first_slots = 32;

  void grow() {
    const std::size_t slots = first_slots << chunk_count_;
    slot* const chunk = static_cast<slot*>(::operator new(slots * sizeof(slot)));
    chunks_[chunk_count_++] = chunk;
    for (std::size_t i = slots; i-- > 0;) give(chunk[i].object);
  }

  std::array<slot*, 40> chunks_{};
  std::size_t chunk_count_ = 0;
  slot* free_ = nullptr;
};

/// Returns the pool of all objects of a type for which callers hold handles.
template <class T>
slot_pool<sizeof(T)>& pool_of() noexcept {
  static_assert(alignof(T) <= alignof(std::max_align_t));
  static constinit slot_pool<sizeof(T)> only;
  return only;
}

/// Stores an object until it is ended.
template <class T>
T* keep_object(T one) {
  static_assert(std::is_nothrow_move_constructible_v<T>);
  return ::new (pool_of<T>().take()) T(std::move(one));
}
template <class T>
void end_object(T* one) noexcept {
  std::destroy_at(one);
  pool_of<T>().give(one);
}
/// Returns the object of a handle, or null if the handle is not of this type.
template <class T, class Handle>
T* object_at(Handle handle) noexcept {
  return pool_of<T>().has(handle) ? reinterpret_cast<T*>(handle) : nullptr;
}

}  // namespace onehop::mpi_abi
