#pragma once
/// A solver on a device, its numbers there too.

#include "dirac/device/krylov_state.hpp"
#include "solver/device_operator.hpp"

#include <functional>
#include <memory>

namespace onehop {

/// Iterations are fired several at a time from a recording where no other rank takes part; what is
/// fired behind the last one changes nothing.
class device_krylov {
 public:
  virtual ~device_krylov() = default;

  /// The residual b - S x to start from, and where x is found; valid between calls.
  device::field& residual() noexcept { return r_; }
  device::field& solution() noexcept { return x_; }

  /// Collective, as all that follow. New directions from the residual.
  virtual void begin(device::stream& on) = 0;
  /// Iterates until |r| is at most `threshold`, so many iterations are done since begin, or the
  /// recurrence breaks down.
  void run(device::stream& on, double threshold, int limit,
           const std::function<void(int, double)>& progress);
  /// Between these two the residual may be exchanged for one that is computed anew; directions
  /// stay, unless the recurrence broke down.
  virtual void release_residual(device::stream&) {}
  virtual void renew_residual(device::stream& on) = 0;

  int iterations() const noexcept { return numbers().iterations; }
  double residual_norm() const noexcept;

 protected:
  /// `state_bytes` of a struct that begins with krylov_state.
  device_krylov(device_operator& op, std::size_t state_bytes);

  device_operator& op() const noexcept { return *op_; }
  const device::hopping& hop() const noexcept { return op_->hop(); }
  template <class State>
  State* state() const noexcept {
    return state_.as<State>();
  }
  template <class State>
  State& numbers_of() const noexcept {
    return *host_state_.as<State>();
  }
  device::krylov_state& numbers() const noexcept { return numbers_of<device::krylov_state>(); }
  /// The host's numbers to the device.
  void write(device::stream& on);

  device::field x_, r_;

 private:
  /// Enqueues one iteration.
  virtual void iterate(device::stream& on) = 0;
  /// Stated count, all ranks.
  virtual double flops_of_iteration() const = 0;
  void read(device::stream& on);
  void record(device::stream& on);

  device_operator* op_;
  std::size_t state_bytes_;
  device::memory state_, host_state_;
  std::unique_ptr<device::recording> recorded_;
};

/// The solver of this name; `op` must outlive it. Throws usage_error for one that devices have not.
std::unique_ptr<device_krylov> make_device_krylov(solver_kind solver, device_operator& op);

}  // namespace onehop
