#pragma once
/// The time of a job: the machine's own, or a virtual machine's.

#include <chrono>
#include <onehop/kernel_cost.hpp>

namespace onehop {

/// As it stands this is the steady clock of the machine.
class clock {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using duration = std::chrono::steady_clock::duration;

  /// Where ranks share cores, spinning would take time from the rank that is waited for.
  explicit clock(bool shares_cores) noexcept : shares_cores_(shares_cores) {}
  virtual ~clock();

  /// The time that deadlines are measured in.
  virtual time_point now() const noexcept { return std::chrono::steady_clock::now(); }
  /// Passes some time in turn `turn` (from 0) of a wait, not beyond `until`, and may come back at
  /// any moment before. True once that moment is known to have come. As it stands it spins briefly,
  /// then yields, then sleeps.
  virtual bool idle(int turn, time_point until);
  /// How long a wait that has lasted for `waited` goes on before it looks for who left or died: the
  /// others hear of a death within two seconds.
  virtual duration look_interval(duration waited) const noexcept;
  /// This rank's processor or device has done such work: on a virtual machine the time passes that
  /// it takes there, elsewhere it has passed already.
  virtual void work(const kernel_cost&) {}

 private:
  bool shares_cores_;
};

}  // namespace onehop
