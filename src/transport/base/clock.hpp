#pragma once
/// A clock measures the time of a job, which is the machine's own or a virtual machine's.

#include <chrono>
#include <onehop/kernel_cost.hpp>

namespace onehop {

/// This base class is the machine's steady clock.
class clock {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using duration = std::chrono::steady_clock::duration;

  /// If ranks share cores, the clock does not spin, because spinning takes time from the rank for
  /// which it waits.
  explicit clock(bool shares_cores) noexcept : shares_cores_(shares_cores) {}
  virtual ~clock();

  /// Returns the time in which deadlines are measured.
  virtual time_point now() const noexcept { return std::chrono::steady_clock::now(); }
  /// Returns what messages call a second of that time.
  virtual const char* second() const noexcept { return "s"; }
  /// Passes some time in turn `turn` (from 0) of a wait, but not beyond `until`; it may return
  /// earlier. Returns true once `until` is known to have passed. This base class first spins
  /// briefly, then yields, then sleeps.
  virtual bool idle(int turn, time_point until);
  /// Returns how long a wait that has lasted for `waited` continues before it looks for ranks that
  /// left or died. The others hear of a death within two seconds.
  virtual duration look_interval(duration waited) const noexcept;
  /// Accounts for work of this rank's processor or device. On a virtual machine its time passes in
  /// this call; elsewhere it has already passed.
  virtual void work(const kernel_cost&) {}

 private:
  bool shares_cores_;
};

}  // namespace onehop
