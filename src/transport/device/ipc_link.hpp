#pragma once
/// These links say which windows in devices' memory this rank's device can write directly.

#include <memory>
#include <onehop/context.hpp>
#include <span>
#include <string>
#include <vector>

#include "device/driver/peer_memory.hpp"
#include "rma/chain_description.hpp"

namespace onehop {

/// An ipc_link holds another rank's window, or the reason why its device is reached through the
/// host.
struct ipc_link {
  std::byte* window = nullptr;
  std::shared_ptr<device::peer_memory> opened;  ///< null within one process
  std::string why_not;
};

/// Opens the windows that device-to-device puts of `chain` need, writes to them as puts will, and
/// keeps those where the write arrived. Marks these puts in `chain`, the same on all ranks.
/// Collective. `window` is this rank's, empty unless it lies in a device's memory. `owner` is the
/// context of its devices' memory. Element r of the result is for rank r.
std::vector<ipc_link> link_windows(const context& ctx, chain_description& chain,
                                   std::span<std::byte> window, device::driver::context owner,
                                   device::peer_cache& peers);

}  // namespace onehop
