#pragma once
/// A device reads and writes this memory of the host itself.

#include <span>

#include "device/driver/driver.hpp"

namespace onehop::device {

/// A pinned_memory is pinned memory of its own.
class pinned_memory {
 public:
  pinned_memory() = default;
  /// The constructor throws resource_error where the driver gives no memory.
  pinned_memory(driver::context owner, std::size_t bytes);
  pinned_memory(pinned_memory&& other) noexcept;
  pinned_memory& operator=(pinned_memory&& other) noexcept;
  ~pinned_memory();

  std::byte* data() const noexcept { return data_; }

 private:
  driver::context owner_ = nullptr;
  std::byte* data_ = nullptr;
};

/// pinned_pages pins whole pages that exist. Where that is refused, as by a limit on locked memory,
/// copies are slower and as correct.
class pinned_pages {
 public:
  pinned_pages() = default;
  pinned_pages(driver::context owner, std::span<std::byte> pages);
  pinned_pages(pinned_pages&& other) noexcept;
  pinned_pages& operator=(pinned_pages&& other) noexcept;
  ~pinned_pages();

  bool pinned() const noexcept { return data_ != nullptr; }

 private:
  driver::context owner_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace onehop::device
