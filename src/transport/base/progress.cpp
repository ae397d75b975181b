#include "transport/base/progress.hpp"

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

}  // namespace onehop
