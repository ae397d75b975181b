#pragma once
/// Work of a rank that goes on whenever the rank waits for anything, so that what others wait for
/// does not wait for this rank to call.

#include <vector>

namespace onehop {

class progress_task {
 public:
  virtual ~progress_task() = default;
  /// Goes as far as it can without waiting. False once there is nothing left that others wait for.
  virtual bool progress() = 0;
};

class progress_tasks {
 public:
  /// `task` goes on from now on, until it says that it is done or is removed.
  void add(progress_task& task);
  void remove(const progress_task& task) noexcept;
  bool empty() const noexcept { return tasks_.empty(); }
  void run();

 private:
  std::vector<progress_task*> tasks_;
};

}  // namespace onehop
