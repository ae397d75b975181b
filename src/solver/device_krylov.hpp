#pragma once
/// A device_krylov is a solver on a device that also keeps its scalars there.

#include "dirac/device/krylov_state.hpp"
#include "solver/device_operator.hpp"
#include "solver/krylov.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace onehop {

/// The recurrences are those of solver/krylov.hpp, written a second time. On the host each scalar
/// is known before the next step, right-hand sides that have ended are dropped from the fields, and
/// x is updated together with the next direction. On a device the scalars stay there, the host
/// looks at them after several iterations, and right-hand sides that have ended are masked. A
/// single implementation for both would branch at every step. What must agree exists once:
/// iteration_state says what ends a right-hand side and when an update is due, and linear_system is
/// the surrounding loop.
///
/// Solves for the right-hand sides of a batch in lockstep; each gets the same bits as alone. If no
/// other rank takes part, several iterations at a time are launched from a captured graph; those
/// launched after a right-hand side has ended leave it unchanged.
class device_krylov {
 public:
  virtual ~device_krylov() = default;

  /// Sets the number of right-hand sides of the following batches.
  void reshape(int rhs);
  /// These are the residuals b - S x to start from, and the x found; they are valid between calls.
  device::field& residual() noexcept { return r_; }
  device::field& solution() noexcept { return x_; }

  /// An updater does for these right-hand sides what krylov_limits::update does, and returns |r|^2
  /// of all.
  using updater = std::function<rhs_values(const rhs_mask& due)>;
  /// Iterates on the chosen right-hand sides until each has reached its target or its limit, stops
  /// converging, or its recurrence breaks down. `limits` and the results have an entry for each
  /// right-hand side of the batch. limits.progress is called every few iterations; `update` is
  /// called in place of limits.update when limits.rule says so. Collective.
  krylov_results run(device::stream& on, const rhs_mask& which, const krylov_limits& limits,
                     const updater& update);

 protected:
  /// `state_bytes` is the size of a struct that begins with krylov_state.
  device_krylov(device_operator& op, std::size_t state_bytes);

  device_operator& op() const noexcept { return *op_; }
  const device::hopping& hop() const noexcept { return op_->hop(); }
  int rhs() const noexcept { return op_->rhs(); }
  /// Returns the states on the device, by right-hand side.
  template <class State>
  State* states() const noexcept {
    return state_.as<State>();
  }
  template <class State>
  State& numbers_of(int n) const noexcept {
    return host_state_.as<State>()[n];
  }
  /// Returns the scalar at this offset of each state.
  template <class Number, class State>
  device::per_rhs<Number> in_each(Number State::*place) const noexcept {
    return {&(states<State>()->*place), sizeof(State)};
  }
  device::krylov_state& numbers(int n) const noexcept;
  /// Returns all right-hand sides whose states are active.
  chosen_rhs active() const noexcept;
  /// Calls what(n) for each chosen right-hand side.
  template <class What>
  void for_each(const rhs_mask& which, const What& what) const {
    for (int n = 0; n < rhs(); ++n) {
      if (which.has(static_cast<std::size_t>(n))) what(n);
    }
  }
  /// Returns a field owned by the solver, with the operator's number of right-hand sides.
  device::field& keep_field();

  device::field x_, r_;

 private:
  /// Makes directions from the residuals, given their |r|^2. Collective, like all that follow.
  virtual void begin(device::stream& on, const rhs_mask& which, const rhs_values& residuals2) = 0;
  /// Between these two calls the residuals are replaced by ones with these |r|^2; directions stay.
  virtual void release_residual(device::stream&, const rhs_mask&) {}
  virtual void renew_residual(device::stream& on, const rhs_mask& which,
                              const rhs_values& residuals2) = 0;
  /// Enqueues one iteration.
  virtual void iterate(device::stream& on) = 0;
  /// Returns the stated count of flops for a right-hand side, over all ranks.
  virtual double flops_of_iteration() const = 0;

  /// Iterates until each right-hand side has ended or is due for an update.
  void advance(device::stream& on, const krylov_limits& limits);
  void record(device::stream& on);
  /// Copies the numbers of all right-hand sides between the host and the device.
  void read(device::stream& on);
  void write(device::stream& on);
  std::size_t state_bytes() const noexcept { return state_bytes_ * rhs(); }
  std::vector<int> going() const;
  int iterations() const;
  template <class Test>
  std::vector<bool> columns_where(const Test& test) const;

  device_operator* op_;
  std::size_t state_bytes_;  ///< bytes of the state of one right-hand side
  device::memory state_, host_state_;
  std::vector<std::unique_ptr<device::field>> kept_;
  std::unique_ptr<device::recording> recorded_;
  rhs_mask due_;
};

/// Makes the conjugate gradient solver of solver/krylov.hpp.
std::unique_ptr<device_krylov> make_device_cg(device_operator& op);
/// Makes the BiCGStab of solver/krylov.hpp, except that |r|^2 is summed while r is written.
std::unique_ptr<device_krylov> make_device_bicgstab(device_operator& op);
/// Makes the solver with this name; `op` must outlive it. Throws usage_error for a solver that does
/// not exist on devices.
std::unique_ptr<device_krylov> make_device_krylov(solver_kind solver, device_operator& op);

}  // namespace onehop
