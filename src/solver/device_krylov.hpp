#pragma once
/// A device_krylov is a solver on a device, whose scalars are there too.

#include "dirac/device/krylov_state.hpp"
#include "solver/device_operator.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace onehop {

/// Solves for the right-hand sides of a batch in lockstep; each gets the bits that it gets alone.
/// Iterations are fired several at a time from a recording where no other rank takes part; those
/// fired behind the last one of a right-hand side change nothing of it.
class device_krylov {
 public:
  virtual ~device_krylov() = default;

  /// Works from now on on batches of this many right-hand sides.
  void reshape(int columns);
  /// These are the residuals b - S x to start from, and where x is found; valid between calls.
  device::field& residual() noexcept { return r_; }
  device::field& solution() noexcept { return x_; }

  /// Begins with new directions from the residuals. Collective, as all that follow.
  virtual void begin(device::stream& on, const rhs_mask& which) = 0;
  /// A goal says when to end a right-hand side: |r| is at most `threshold`, or `limit` iterations
  /// are done since begin.
  struct goal {
    double threshold;
    int limit;
  };
  /// Iterates on the chosen right-hand sides until each has reached its goal, is due for an update,
  /// does not fall any more, or its recurrence breaks down. Calls progress(column, iterations, |r|)
  /// for the one that has farthest to go.
  void run(device::stream& on, const std::vector<goal>& goals, const rhs_mask& which,
           const std::function<void(int, int, double)>& progress);
  /// Makes right-hand sides stop, from now on and until begin, where an update is due by this rule.
  void update_by(const update_rule& rule, const rhs_mask& which);
  /// Tells a right-hand side that has stopped that its |r|, computed again, is `norm`. Returns
  /// false where no update was due, or none is of use any more.
  bool updated(int column, double norm);
  /// Between these two calls the residuals are exchanged for ones of the norms told; directions
  /// stay.
  virtual void release_residual(device::stream&, const rhs_mask&) {}
  virtual void renew_residual(device::stream& on, const rhs_mask& which) = 0;

  int iterations(int column) const noexcept { return numbers(column).iterations; }
  double residual_norm(int column) const noexcept;
  int updates(int column) const noexcept { return numbers(column).updates.count(); }

 protected:
  /// `state_bytes` is the size of a struct that begins with krylov_state.
  device_krylov(device_operator& op, std::size_t state_bytes);

  device_operator& op() const noexcept { return *op_; }
  const device::hopping& hop() const noexcept { return op_->hop(); }
  int columns() const noexcept { return op_->columns(); }
  /// Returns the states on the device, by right-hand side.
  template <class State>
  State* states() const noexcept {
    return state_.as<State>();
  }
  template <class State>
  State& numbers_of(int column) const noexcept {
    return host_state_.as<State>()[column];
  }
  /// Returns the number that each state has at this place.
  template <class Number, class State>
  device::per_rhs<Number> in_each(Number State::*place) const noexcept {
    return {&(states<State>()->*place), sizeof(State)};
  }
  device::krylov_state& numbers(int column) const noexcept;
  /// Returns all right-hand sides that are active by their states.
  chosen_rhs active() const noexcept;
  /// Calls what(column) for each that is chosen.
  template <class What>
  void for_each(const rhs_mask& which, const What& what) const {
    for (int column = 0; column < columns(); ++column) {
      if (which.has(static_cast<std::size_t>(column))) what(column);
    }
  }
  /// Copies the host's numbers to the device.
  void write(device::stream& on);
  /// Returns a field of the solver's own, with the operator's number of right-hand sides.
  device::field& keep_field();

  device::field x_, r_;

 private:
  /// Enqueues one iteration.
  virtual void iterate(device::stream& on) = 0;
  /// Returns the stated count of flops for a right-hand side, over all ranks.
  virtual double flops_of_iteration() const = 0;
  std::size_t state_bytes() const noexcept { return state_bytes_ * columns(); }
  void read(device::stream& on);
  void record(device::stream& on);
  void report(const std::vector<goal>& goals, const std::vector<bool>& went,
              const std::function<void(int, int, double)>& progress) const;

  device_operator* op_;
  std::size_t state_bytes_;  ///< bytes of the state of one right-hand side
  device::memory state_, host_state_;
  std::vector<std::unique_ptr<device::field>> kept_;
  std::unique_ptr<device::recording> recorded_;
};

/// Makes the conjugate gradient solver of solver/krylov.hpp.
std::unique_ptr<device_krylov> make_device_cg(device_operator& op);
/// Makes the BiCGStab of solver/krylov.hpp, except that |r|^2 is summed while r is written.
std::unique_ptr<device_krylov> make_device_bicgstab(device_operator& op);
/// Makes the solver of this name; `op` must outlive it. Throws usage_error for a solver that there
/// is not on devices.
std::unique_ptr<device_krylov> make_device_krylov(solver_kind solver, device_operator& op);

}  // namespace onehop
