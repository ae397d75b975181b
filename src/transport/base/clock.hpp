#pragma once
/// A clock is the time of a job: the machine's own, or a virtual machine's.

#include <chrono>
#include <onehop/kernel_cost.hpp>

namespace onehop {

/// This base class is the steady clock of the machine.
class clock {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using duration = std::chrono::steady_clock::duration;

  /// Where ranks share cores the clock does not spin, since spinning takes time from the rank that
  /// is waited for.
  explicit clock(bool shares_cores) noexcept : shares_cores_(shares_cores) {}
  virtual ~clock();

  /// Returns the time that deadlines are measured in.
  virtual time_point now() const noexcept { return std::chrono::steady_clock::now(); }
  /// Returns what a second of that time is called in a message.
  virtual const char* second() const noexcept { return "s"; }
  /// Passes some time in turn `turn` (from 0) of a wait, not beyond `until`; may come back at any
  /// moment before. Returns true once that moment is known to have come. This base class spins
  /// briefly, then yields, then sleeps.
  virtual bool idle(int turn, time_point until);
  /// Returns how long a wait that has lasted for `waited` goes on before it looks for ranks that
  /// left or died: the others hear of a death within two seconds.
  virtual duration look_interval(duration waited) const noexcept;
  /// Accounts for work of this rank's processor or device: on a virtual machine its time passes
  /// there, elsewhere it has passed already.
  virtual void work(const kernel_cost&) {}

 private:
  bool shares_cores_;
};

}  // namespace onehop
