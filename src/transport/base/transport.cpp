#include "transport/base/transport.hpp"

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

}  // namespace onehop
