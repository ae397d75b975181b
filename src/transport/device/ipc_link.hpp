#pragma once
/// The links say which windows in devices' memory this rank's device can write itself.

#include <memory>
#include <onehop/context.hpp>
#include <span>
#include <string>
#include <vector>

#include "device/driver/peer_memory.hpp"
#include "rma/chain_description.hpp"

namespace onehop {

/// An ipc_link is the window of another rank, or why its device must be reached through the host.
struct ipc_link {
  std::byte* window = nullptr;
  std::shared_ptr<device::peer_memory> opened;  ///< null within one process
  std::string why_not;
};

/// Opens what the puts of `chain` from devices to devices need, writes to it as puts will, and
/// keeps the windows where that arrived; marks those puts in `chain`, the same on all ranks.
/// Collective. `window` is this rank's, empty unless it lies in a device's memory, and `owner` the
/// context of its devices' memory. Element r of the result is for rank r.
std::vector<ipc_link> link_windows(const context& ctx, chain_description& chain,
                                   std::span<std::byte> window, device::driver::context owner,
                                   device::peer_cache& peers);

}  // namespace onehop
