#pragma once
/// CG on a device.

#include "solver/device_operator.hpp"

#include <functional>
#include <memory>

namespace onehop {

/// Conjugate gradient as solver/krylov.hpp has it, its numbers on the device. Iterations are fired
/// several at a time from a recording where no other rank takes part; what is fired behind the last
/// one changes nothing.
class device_cg {
 public:
  explicit device_cg(device_operator& op);

  /// The residual b - S x to start from, and where x is found; valid between calls.
  device::field& residual() noexcept { return r_; }
  device::field& solution() noexcept { return x_; }

  /// Collective, as all that follow. New directions from the residual.
  void begin(device::stream& on);
  /// Iterates until |r| is at most `threshold` or so many iterations are done since begin.
  void run(device::stream& on, double threshold, int limit,
           const std::function<void(int, double)>& progress);
  /// Between these two the residual may be exchanged for one that is computed anew; directions
  /// stay.
  void release_residual(device::stream& on);
  void renew_residual(device::stream& on);

  int iterations() const noexcept { return numbers().iterations; }
  double residual_norm() const noexcept;

 private:
  device::cg_state* state() const noexcept { return state_.as<device::cg_state>(); }
  device::cg_state& numbers() const noexcept { return *host_state_.as<device::cg_state>(); }
  /// What CG's directions are made of: r, or S^+ r where S is not hermitian.
  const device::field& gradient() const noexcept { return op_->hermitian() ? r_ : s_; }
  void renew_gradient(device::stream& on);
  void read(device::stream& on);
  void write(device::stream& on);
  void iterate(device::stream& on);
  void record(device::stream& on);

  device_operator* op_;
  device::field x_, r_, p_, q_, s_;
  device::memory state_, host_state_;
  std::unique_ptr<device::recording> recorded_;
};

}  // namespace onehop
