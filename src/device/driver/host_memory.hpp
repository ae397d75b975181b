#pragma once
/// A device reads and writes this host memory directly.

#include <span>

#include "device/driver/driver.hpp"

namespace onehop::device {

/// A pinned_memory owns pinned host memory.
class pinned_memory {
 public:
  pinned_memory() = default;
  /// The constructor throws resource_error if the driver cannot allocate the memory.
  pinned_memory(driver::context owner, std::size_t bytes);

  std::byte* data() const noexcept { return static_cast<std::byte*>(memory_.get()); }

 private:
  owned<void*, &driver::free_host> memory_;
};

/// pinned_pages pins whole existing pages. If that is refused, for example by a limit on locked
/// memory, copies are slower but equally correct.
class pinned_pages {
 public:
  pinned_pages() = default;
  pinned_pages(driver::context owner, std::span<std::byte> pages);

 private:
  owned<void*, &driver::unregister_host> pages_;
};

}  // namespace onehop::device
