#pragma once
/// These are the CUDA driver calls needed for puts from and to device memory.
///
/// Only a program that uses CUDA can have such memory, and then it has loaded the driver. The
/// driver is therefore found among the loaded libraries, and nothing is linked. So no build needs
/// CUDA's headers, and a program without CUDA pays for one look-up.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace onehop::device {

/// The functions, types and numbers match cuda.h, which is a stable binary interface.
struct driver {
  using result = int;  ///< 0 is success
  using context = struct CUctx_st*;
  using stream = struct CUstream_st*;
  using event = struct CUevent_st*;
  using address = unsigned long long;

  /// This is CUDA_MEMCPY2D of cuda.h.
  struct rows {
    std::size_t source_x, source_y;
    unsigned source_type;
    const void* source_host;
    address source;
    void* source_array;
    std::size_t source_pitch;
    std::size_t target_x, target_y;
    unsigned target_type;
    void* target_host;
    address target;
    void* target_array;
    std::size_t target_pitch;
    std::size_t width, height;
  };

  /// This is CUipcMemHandle of cuda.h.
  struct memory_handle {
    std::byte reserved[64];
  };

  result (*init)(unsigned flags);
  result (*get_error_string)(result, const char**);
  result (*driver_version)(int*);
  result (*device_count)(int*);
  result (*device_name)(char* words, int length, int device);
  result (*device_bus)(char* words, int length, int device);
  result (*device_bytes)(std::size_t*, int device);
  result (*device_attribute)(int* value, int attribute, int device);
  result (*reaches_peer)(int* value, int device, int peer);
  result (*retain_primary)(context*, int device);
  result (*pointer_attribute)(void* value, int attribute, address of);
  result (*pointer_attributes)(unsigned count, const int* attributes, void** values, address of);
  result (*push_context)(context);
  result (*pop_context)(context*);
  result (*context_device)(int*);
  result (*enable_peer)(context peer, unsigned flags);
  result (*create_stream)(stream*, unsigned flags);
  result (*destroy_stream)(stream);
  result (*synchronise_stream)(stream);
  result (*wait_event)(stream, event, unsigned flags);
  result (*is_capturing)(stream, int* status);
  result (*write_word)(stream, address, std::uint32_t value, unsigned flags);
  result (*wait_word)(stream, address, std::uint32_t value, unsigned flags);
  result (*create_event)(event*, unsigned flags);
  result (*destroy_event)(event);
  result (*record_event)(event, stream);
  result (*query_event)(event);
  result (*copy_to_host)(void* to, address from, std::size_t bytes, stream);
  result (*copy_to_device)(address to, const void* from, std::size_t bytes, stream);
  result (*copy)(address to, address from, std::size_t bytes, stream);
  result (*copy_rows)(const rows*, stream);
  result (*allocate)(address*, std::size_t bytes);
  result (*free)(address);
  result (*allocate_host)(void**, std::size_t bytes, unsigned flags);
  result (*free_host)(void*);
  result (*register_host)(void*, std::size_t bytes, unsigned flags);
  result (*unregister_host)(void*);
  result (*get_handle)(memory_handle*, address);
  result (*open_handle)(address*, memory_handle, unsigned flags);
  result (*close_handle)(address);

  static constexpr result no_device = 100, not_ready = 600, peer_enabled_before = 704;

  /// Returns the driver that this process has loaded; null if it has none, or one that is too old.
  static const driver* loaded();
  /// Loads the driver of this machine and initialises it. Throws usage_error if there is no driver
  /// or no device, or if the driver does not start.
  static const driver& load();

  /// Throws resource_error with the driver's message unless `outcome` is success.
  void require(result outcome, std::string_view call) const;
  /// Returns the driver's message for a result.
  std::string_view words_of(result outcome) const;
};

/// The calling thread works in a context for as long as an `entered` object lives.
class entered {
 public:
  entered(const driver& with, driver::context owner);
  ~entered();
  entered(const entered&) = delete;
  entered& operator=(const entered&) = delete;

 private:
  const driver& driver_;
};

/// An owned object was created by the driver in a context; `Release` frees it when its holder is
/// destroyed.
template <class Thing, auto Release>
class owned {
 public:
  owned() = default;
  owned(driver::context owner, Thing made) : owner_(owner), thing_(made) {}
  owned(owned&& other) noexcept
      : owner_(other.owner_), thing_(std::exchange(other.thing_, Thing{})) {}
  owned& operator=(owned&& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(thing_, other.thing_);
    return *this;
  }
  ~owned() {
    if (thing_ == Thing{}) return;
    const driver& known = *driver::loaded();
    driver::context popped = nullptr;
    // A context that cannot be entered has been destroyed, with everything created in it.
    if (known.push_context(owner_) != 0) return;
    (known.*Release)(thing_);
    known.pop_context(&popped);
  }

  driver::context owner() const noexcept { return owner_; }
  Thing get() const noexcept { return thing_; }

 private:
  driver::context owner_ = nullptr;
  Thing thing_{};
};

}  // namespace onehop::device
