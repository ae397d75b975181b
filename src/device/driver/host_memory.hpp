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

  std::byte* data() const noexcept { return static_cast<std::byte*>(memory_.get()); }

 private:
  owned<void*, &driver::free_host> memory_;
};

/// pinned_pages pins whole pages that exist. Where that is refused, as by a limit on locked memory,
/// copies are slower and as correct.
class pinned_pages {
 public:
  pinned_pages() = default;
  pinned_pages(driver::context owner, std::span<std::byte> pages);

 private:
  owned<void*, &driver::unregister_host> pages_;
};

}  // namespace onehop::device
