#include "transport/base/transport.hpp"

namespace onehop {

void progress_tasks::add(progress_task& task) {
  remove(task);
  tasks_.push_back(&task);
}

void progress_tasks::remove(const progress_task& task) noexcept { std::erase(tasks_, &task); }

void progress_tasks::run() {
  if (running_) return;
  struct mark {
    bool& is_set;
    explicit mark(bool& flag) : is_set(flag) { flag = true; }
    ~mark() { is_set = false; }
  } const running(running_);
  for (std::size_t i = 0; i < tasks_.size();)
    if (tasks_[i]->progress())
      ++i;
    else
      tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(i));
}

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
