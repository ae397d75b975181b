#pragma once
/// A stopwatch measures the time of a part of a program.

#include <onehop/context.hpp>

#include <chrono>

namespace app_common {

/// A stopwatch adds the time from its construction to its end, by the clock of a context, to a
/// total.
class stopwatch {
 public:
  stopwatch(const onehop::context& job, double& total_s)
      : job_(job), total_s_(total_s), begin_(job.now()) {}
  ~stopwatch() { total_s_ += std::chrono::duration<double>(job_.now() - begin_).count(); }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

 private:
  const onehop::context& job_;
  double& total_s_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace app_common
