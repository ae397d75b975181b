#pragma once
/// Collectives work on pinned memory of the host in place of a device's, which is kept here from
/// one to the next: to pin memory takes longer than to copy it.

#include <memory>
#include <vector>

#include "device/driver/host_memory.hpp"
#include "device/driver/queue.hpp"
#include "rma/device_channels.hpp"

namespace onehop {

/// A mirror_lane is pinned memory with the queue whose copies use it.
struct mirror_lane {
  mirror_lane(device::driver::context of, std::size_t capacity);

  device::driver::context owner;
  std::size_t bytes;
  device::pinned_memory memory;
  device::queue copies;  ///< after the memory that it uses
  device::marker followed, finished;
};

/// A mirror_pool has the lanes of a rank that no mirror uses.
class mirror_pool {
 public:
  /// Returns a lane of at least `bytes` bytes. Lanes that are too small go first, so that memory
  /// does not grow with the number of sizes.
  std::unique_ptr<mirror_lane> take(device::driver::context owner, std::size_t bytes);
  void give_back(std::unique_ptr<mirror_lane> lane) { idle_.push_back(std::move(lane)); }

 private:
  std::vector<std::unique_ptr<mirror_lane>> idle_;
};

/// Makes the copies of these parts, which lie in memory of the host, or of the context `owner`.
std::unique_ptr<device_mirror> make_mirror(std::shared_ptr<mirror_pool> pool,
                                           device::driver::context owner,
                                           const std::vector<mirrored_part>& parts,
                                           const std::vector<bool>& on_device);

}  // namespace onehop
