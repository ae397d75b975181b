#pragma once
/// A call of a function of QMP: what it requires, and how it ends the job.

#include <string>
#include <string_view>

#include "qmp/qmp.h"

namespace onehop::qmp {

/// Ends the job with a line that names the function that runs.
[[noreturn]] void fail(const std::string& what) noexcept;

/// While a call lives, the function of that name runs. Those that call each other keep the name of
/// the first, which is the one that the program has called.
class call {
 public:
  /// Ends the job unless it has been joined.
  explicit call(const char* function);
  ~call();
  call(const call&) = delete;
  call& operator=(const call&) = delete;

 private:
  bool is_first_;
};

/// While it lives, time counts as spent in QMP.
class timed_wait {
 public:
  timed_wait();
  ~timed_wait();
  timed_wait(const timed_wait&) = delete;
  timed_wait& operator=(const timed_wait&) = delete;

 private:
  double begun_;
};

/// Ends the job where a pointer is null; `what` says of what.
void require(const void* pointer, std::string_view what);

}  // namespace onehop::qmp
