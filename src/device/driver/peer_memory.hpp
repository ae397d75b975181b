#pragma once
/// This file shares device memory between processes of a machine.

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "device/driver/driver.hpp"

namespace onehop::device {

/// A shared_name identifies a whole allocation to other processes, and an offset in it.
struct shared_name {
  std::array<std::byte, 64> handle;
  std::size_t offset;
};

/// Names this memory of the context `owner` to other processes. Throws resource_error with the
/// driver's reason if it cannot be shared; memory from pools cannot.
shared_name share(driver::context owner, const std::byte* memory);

/// Lets copies and kernels of the context `owner` access memory that another context of this
/// process has allocated. Throws resource_error with the driver's reason if its device cannot.
void reach_memory_of(driver::context other, driver::context owner);

/// A peer_memory maps memory of another process for as long as it lives.
class peer_memory {
 public:
  /// The constructor throws resource_error with the driver's reason, for example if the devices
  /// cannot reach each other.
  peer_memory(driver::context owner, const std::array<std::byte, 64>& handle);

  std::byte* data() const noexcept { return reinterpret_cast<std::byte*>(memory_.get()); }

 private:
  owned<driver::address, &driver::close_handle> memory_;
};

/// A device_memory owns zeroed device memory.
class device_memory {
 public:
  device_memory(driver::context owner, std::size_t bytes);

  std::byte* data() const noexcept { return reinterpret_cast<std::byte*>(memory_.get()); }

 private:
  owned<driver::address, &driver::free> memory_;
};

/// A peer_cache holds the device memory that the chains of a rank share.
class peer_cache {
 public:
  /// Opens each allocation once, however many chains use it at the same time.
  std::shared_ptr<peer_memory> open(driver::context owner, const std::array<std::byte, 64>& handle);
  /// Returns memory of this rank's device for others to open. It is kept, and returned again to a
  /// caller that needs no more, because its owner cannot know when the others have closed it.
  std::shared_ptr<device_memory> board(driver::context owner, std::size_t bytes);

 private:
  struct kept_board {
    driver::context owner;
    std::size_t bytes;
    std::shared_ptr<device_memory> memory;
  };

  std::map<std::pair<driver::context, std::array<std::byte, 64>>, std::weak_ptr<peer_memory>> open_;
  std::vector<kept_board> boards_;
};

}  // namespace onehop::device
