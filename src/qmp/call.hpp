#pragma once
/// This file describes a call of a QMP function: what it requires, and how it ends the job.

#include <string>
#include <string_view>

#include "qmp/qmp.h"

namespace onehop::qmp {

/// Ends the job with a line that names the running function.
[[noreturn]] void fail(const std::string& what) noexcept;

/// While a call object lives, the function with that name is running. If functions call each other,
/// the name of the first is kept, which is the one that the program called.
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

/// While a timed_wait lives, time counts as spent in QMP.
class timed_wait {
 public:
  timed_wait();
  ~timed_wait();
  timed_wait(const timed_wait&) = delete;
  timed_wait& operator=(const timed_wait&) = delete;

 private:
  double begun_;
};

/// Ends the job if a pointer is null; `what` names what it should point to.
void require(const void* pointer, std::string_view what);

}  // namespace onehop::qmp
