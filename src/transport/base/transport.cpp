#include "transport/base/transport.hpp"

namespace onehop {

bootstrap::~bootstrap() = default;
channel_choice::~channel_choice() = default;
endpoint::~endpoint() = default;
failure::~failure() = default;
transport::~transport() = default;

void transport::progress() {
  failure_.poll();
  if (!tasks_->empty()) [[unlikely]]
    tasks_->run();
}

void transport::make_part_of(transport& whole, const std::vector<int>& members,
                             std::shared_ptr<void> kept) {
  for (const int rank : members) in_job_.push_back(whole.rank_in_job(rank));
  kept_ = std::move(kept);
  tasks_ = whole.tasks_;
  device_channels_ = whole.device_channels_;
}

}  // namespace onehop
