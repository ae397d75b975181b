#pragma once
/// A solver on a device, its numbers there too.

#include "dirac/device/krylov_state.hpp"
#include "solver/device_operator.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace onehop {

/// Solves for the columns of a batch in lockstep; each gets the bits that it gets alone. Iterations
/// are fired several at a time from a recording where no other rank takes part; what is fired
/// behind the last one of a column changes nothing of it.
class device_krylov {
 public:
  virtual ~device_krylov() = default;

  /// From now on of batches of so many columns.
  void reshape(int columns);
  /// The residuals b - S x to start from, and where x is found; valid between calls.
  device::field& residual() noexcept { return r_; }
  device::field& solution() noexcept { return x_; }

  /// Collective, as all that follow. New directions from the residuals.
  virtual void begin(device::stream& on, const rhs_mask& which) = 0;
  /// When to end a column: |r| is at most `threshold`, or so many iterations are done since begin.
  struct goal {
    double threshold;
    int limit;
  };
  /// Iterates on the chosen columns until each has reached its goal, is due for an update, falls no
  /// more, or its recurrence breaks down.
  /// Calls progress(column, iterations, |r|) of the one that has farthest to go.
  void run(device::stream& on, const std::vector<goal>& goals, const rhs_mask& which,
           const std::function<void(int, int, double)>& progress);
  /// From now on, and until begin, columns stop where an update is due by this rule.
  void update_by(const update_rule& rule, const rhs_mask& which);
  /// Of a column that has stopped: tells that its |r|, computed anew, is `norm`. False where no
  /// update was due, or none is of use any more.
  bool updated(int column, double norm);
  /// Between these two the residuals are exchanged for ones of the norms told; directions stay.
  virtual void release_residual(device::stream&, const rhs_mask&) {}
  virtual void renew_residual(device::stream& on, const rhs_mask& which) = 0;

  int iterations(int column) const noexcept { return numbers(column).iterations; }
  double residual_norm(int column) const noexcept;
  int updates(int column) const noexcept { return numbers(column).updates.count(); }

 protected:
  /// `state_bytes` of a struct that begins with krylov_state.
  device_krylov(device_operator& op, std::size_t state_bytes);

  device_operator& op() const noexcept { return *op_; }
  const device::hopping& hop() const noexcept { return op_->hop(); }
  int columns() const noexcept { return op_->columns(); }
  /// On the device, by column.
  template <class State>
  State* states() const noexcept {
    return state_.as<State>();
  }
  template <class State>
  State& numbers_of(int column) const noexcept {
    return host_state_.as<State>()[column];
  }
  /// The number that each state has at this place.
  template <class Number, class State>
  device::per_rhs<Number> in_each(Number State::*place) const noexcept {
    return {&(states<State>()->*place), sizeof(State)};
  }
  device::krylov_state& numbers(int column) const noexcept;
  /// All columns that their states say are active.
  chosen_rhs active() const noexcept;
  /// Calls what(column) for each that is chosen.
  template <class What>
  void for_each(const rhs_mask& which, const What& what) const {
    for (int column = 0; column < columns(); ++column) {
      if (which.has(static_cast<std::size_t>(column))) what(column);
    }
  }
  /// The host's numbers to the device.
  void write(device::stream& on);
  /// Of the solver's own, made of the operator's columns.
  device::field& keep_field();

  device::field x_, r_;

 private:
  /// Enqueues one iteration.
  virtual void iterate(device::stream& on) = 0;
  /// Stated count of a column, all ranks.
  virtual double flops_of_iteration() const = 0;
  std::size_t state_bytes() const noexcept { return state_bytes_ * columns(); }
  void read(device::stream& on);
  void record(device::stream& on);
  void report(const std::vector<goal>& goals, const std::vector<bool>& went,
              const std::function<void(int, int, double)>& progress) const;

  device_operator* op_;
  std::size_t state_bytes_;  ///< of a column
  device::memory state_, host_state_;
  std::vector<std::unique_ptr<device::field>> kept_;
  std::unique_ptr<device::recording> recorded_;
};

/// Conjugate gradient as solver/krylov.hpp has it.
std::unique_ptr<device_krylov> make_device_cg(device_operator& op);
/// BiCGStab as solver/krylov.hpp has it, but for |r|^2, which is summed while r is written.
std::unique_ptr<device_krylov> make_device_bicgstab(device_operator& op);
/// The solver of this name; `op` must outlive it. Throws usage_error for one that devices have not.
std::unique_ptr<device_krylov> make_device_krylov(solver_kind solver, device_operator& op);

}  // namespace onehop
