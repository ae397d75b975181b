#pragma once
/// A progress_task is work of a rank that goes on whenever the rank waits for anything, so that the
/// other ranks' waits do not depend on calls of this rank.

#include <vector>

namespace onehop {

class progress_task {
 public:
  virtual ~progress_task() = default;
  /// Goes as far as it can without waiting. Returns false once there is nothing left that others
  /// wait for.
  virtual bool progress() = 0;
};

class progress_tasks {
 public:
  /// Lets `task` go on from now on, until it says that it is done or is removed.
  void add(progress_task& task);
  void remove(const progress_task& task) noexcept;
  bool empty() const noexcept { return tasks_.empty(); }
  /// Runs each once; does nothing where a task that is being run calls it.
  void run();

 private:
  bool running_ = false;
  std::vector<progress_task*> tasks_;
};

}  // namespace onehop
