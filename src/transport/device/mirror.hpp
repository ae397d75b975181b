#pragma once
/// Collectives work on pinned host memory instead of a device's memory. It is kept from one
/// collective to the next, because pinning memory takes longer than copying it.

#include <memory>
#include <vector>

#include "device/driver/host_memory.hpp"
#include "device/driver/queue.hpp"
#include "rma/device_channels.hpp"

namespace onehop {

/// A mirror_lane is pinned memory and the queue whose copies use it.
struct mirror_lane {
  mirror_lane(device::driver::context of, std::size_t capacity);

  device::driver::context owner;
  std::size_t bytes;
  device::pinned_memory memory;
  device::queue copies;  ///< after the memory that it uses
  device::marker followed, finished;
};

/// A mirror_pool holds the lanes of a rank that no mirror currently uses.
class mirror_pool {
 public:
  /// Returns a lane of at least `bytes` bytes. It first frees lanes that are too small, so that
  /// memory does not grow with the number of different sizes.
  std::unique_ptr<mirror_lane> take(device::driver::context owner, std::size_t bytes);
  void give_back(std::unique_ptr<mirror_lane> lane) { idle_.push_back(std::move(lane)); }

 private:
  std::vector<std::unique_ptr<mirror_lane>> idle_;
};

/// Makes copies of these parts, which lie in memory of the host or of the context `owner`.
std::unique_ptr<device_mirror> make_mirror(std::shared_ptr<mirror_pool> pool,
                                           device::driver::context owner,
                                           const std::vector<mirrored_part>& parts,
                                           const std::vector<bool>& on_device);

}  // namespace onehop
