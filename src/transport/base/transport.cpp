#include "transport/base/transport.hpp"

#include "gpu/peer_memory.hpp"

namespace onehop {

bootstrap::~bootstrap() = default;
channel_choice::~channel_choice() = default;
endpoint::~endpoint() = default;
failure::~failure() = default;
transport::~transport() = default;

void transport::progress() {
  failure_.poll();
  if (!tasks_.empty()) [[unlikely]]
    tasks_.run();
}

gpu::peer_cache& transport::peer_devices() {
  if (!peer_devices_) peer_devices_ = std::make_shared<gpu::peer_cache>();
  return *peer_devices_;
}

}  // namespace onehop
