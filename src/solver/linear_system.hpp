#pragma once
/// A linear_system is M x = b in its even/odd form, S x = b, for a batch of right-hand sides. One
/// loop solves it, wherever the fields are: host_system and device_system are its back ends.

#include "lattice/field_precision.hpp"
#include "solver/krylov.hpp"

#include <onehop/solve_report.hpp>
#include <onehop/solver_options.hpp>

#include <complex>
#include <span>
#include <string>
#include <vector>

namespace onehop {

/// A back end holds b, x and r = b - S x of the batch in the precision of the solution, and runs a
/// recurrence in the precision in which the solver iterates. Right-hand sides are named by their
/// number in the batch.
class linear_system {
 public:
  using field = std::span<const std::complex<double>>;
  using solution = std::span<std::complex<double>>;

  virtual ~linear_system() = default;

  /// Solves for consecutive canonical fields, at most options.rhs of them; fills in everything
  /// except times, flops and the true residual. `first` is the number of the first in the caller's
  /// progress. Collective.
  std::vector<solve_report> solve(field sources, solution solutions, int first);

  /// Allocates the memory that solve() works in, unless it exists already.
  virtual void prepare_workspace() {}
  /// Returns the times since construction, except total_s and check_s.
  virtual time_split time_spent() const = 0;
  virtual double flops() const = 0;
  /// Returns what the kernels run on: the instruction set and lanes, or the device.
  virtual std::string kernels() const = 0;

 protected:
  explicit linear_system(const solve_options& options) : options_(options) {}

  const solve_options& options() const noexcept { return options_; }

 private:
  /// Takes a batch, with x = 0 and r = b; returns |b| of the full system. Collective, like all that
  /// follow.
  virtual rhs_values load(field sources) = 0;
  /// Runs the recurrence for these right-hand sides starting from r. When limits.rule says so, what
  /// it has found is added to x, r is recomputed, and the recurrence continues from that r.
  /// `limits` has an entry for each right-hand side of the batch, the results one for each in
  /// `numbers`.
  virtual krylov_results iterate(std::span<const int> numbers, const krylov_limits& limits) = 0;
  /// Adds to x what the recurrence has found since the last update, and recomputes r of these
  /// right-hand sides; returns |r|.
  virtual rhs_values finish(std::span<const int> numbers) = 0;
  virtual void store(solution solutions) = 0;

  krylov_limits limits_of(const rhs_values& source_norms, const std::vector<solve_report>& reports,
                          int first) const;
  rhs_values true_norms(std::span<const int> numbers, const krylov_results& results,
                        const krylov_limits& limits);

  solve_options options_;
};

/// Returns whether a solve in this precision also uses a precision coarser than its solution's.
bool has_coarse(precision wanted);
/// Returns whether the solver of these options also iterates in the coarser precision. Block CG of
/// staggered fermions does not: most of its time goes into exact sums of products, which a coarse
/// precision does not speed up, and coarse rounding loses the directions that make a block converge
/// sooner than its right-hand sides: badly conditioned links took five times the iterations.
bool iterates_coarsely(const solve_options& options);
field_precision coarse_storage(precision wanted);
/// Returns the precision in which solutions are stored.
field_precision fine_storage(precision wanted);
/// Returns how many reals the links in the solution's precision have.
int fine_reals(const solve_options& options);
/// Returns the rule by which a solve with these options recomputes its residual.
update_rule update_rule_of(const solve_options& options);

}  // namespace onehop
