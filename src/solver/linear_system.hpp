#pragma once
/// A linear_system is M x = b in its even/odd form, in the precision of the options.

#include "solver/refinement.hpp"

#include <onehop/solve_report.hpp>
#include <onehop/solver_options.hpp>

#include <complex>
#include <optional>
#include <span>
#include <vector>

namespace onehop {

class linear_system {
 public:
  using field = std::span<const std::complex<double>>;
  using solution = std::span<std::complex<double>>;

  /// The constructor is collective. Throws what propagator_solver throws.
  linear_system(const hop_links& links, const solve_options& options);

  /// Allocates the memory that solve() works in, unless it has it.
  void prepare_workspace();
  /// Solves for canonical fields one behind the other, at most options.rhs of them; fills in
  /// everything but times, flops and the true residual. `first` is the number of the first in the
  /// caller's progress. Collective.
  std::vector<solve_report> solve(field sources, solution solutions, int first);
  /// Sets out = M in or M^+ in. Collective.
  void apply(field in, solution out, bool dagger);

  thread_team& team() noexcept { return team_; }
  solver_level& fine() noexcept { return fine_; }
  /// Returns the coarse level, or null where all is done in the fine precision.
  solver_level* coarse() noexcept { return coarse_ ? &*coarse_ : nullptr; }

  std::size_t field_size() const noexcept {
    return fine_.layout.geometry().local_volume() * fine_.op.components();
  }
  time_split time_spent() const;
  double flops() const noexcept { return fine_.flops() + (coarse_ ? coarse_->flops() : 0.0); }
  /// Returns the instruction set and lanes.
  std::string kernels() const;

 private:
  /// The workspace has the fields of a solve, kept for the next: new memory takes as long as
  /// several passes over it.
  struct workspace {
    lane_field b_even, b_odd, x_even, x_odd;
    lane_field b;  ///< right-hand side of the preconditioned system
    std::optional<refinement> refined;

    explicit workspace(linear_system& system);
    void reshape(int columns);
  };

  solver_level& iterating() noexcept { return coarse_ ? *coarse_ : fine_; }

  void spread_all(field sources, lane_field& half);
  void collect_all(const lane_field& half, solution solutions);
  void iterate(lane_field& x, lane_field& residual, const lane_field& b,
               const rhs_values& source_norms, std::span<solve_report> reports, int first);
  /// Runs the solver for these right-hand sides, which the fields hold. Leaves |b - S x|^2 in
  /// `norms2`, and b - S x in r unless all meet their targets.
  krylov_results run(std::span<const int> columns, lane_field& x, lane_field& r,
                     const lane_field& b, const rhs_values& source_norms,
                     std::span<const solve_report> reports, int first, rhs_values& norms2);

  solve_options options_;
  const instruction_set& set_;
  thread_team team_;
  solver_level fine_;
  std::optional<solver_level> coarse_;
  std::optional<workspace> work_;  ///< set from prepare_workspace() on
};

/// Returns whether a solve in this precision works in a coarser precision than its solution's.
bool has_coarse(precision wanted);
/// Returns whether a solve with these options does so with its solver too. Block CG of staggered
/// fermions does not: most of its time goes into exact sums of products, which a coarse precision
/// makes no faster, and its rounding loses the directions that make a block converge sooner than
/// its columns: badly conditioned links took five times the iterations.
bool iterates_coarsely(const solve_options& options);
field_precision coarse_storage(precision wanted);
/// Returns the precision in which solutions are kept.
field_precision fine_storage(precision wanted);

}  // namespace onehop
