#pragma once
/// M x = b in its even/odd form, with the numbers that were asked for.

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

  /// Collective. Throws what propagator_solver throws.
  linear_system(const hop_links& links, const solve_options& options);

  /// Takes the memory that solve() works in, unless it has it.
  void prepare_workspace();
  /// Canonical fields one behind the other, at most options.rhs of them. `first` is the number of
  /// the first in the caller's progress. Everything but times, flops and the true residual.
  /// Collective.
  std::vector<solve_report> solve(field sources, solution solutions, int first);
  /// out = M in or M^+ in. Collective.
  void apply(field in, solution out, bool dagger);

  thread_team& team() noexcept { return team_; }
  solver_level& fine() noexcept { return fine_; }
  /// Null where all is done in fine numbers.
  solver_level* coarse() noexcept { return coarse_ ? &*coarse_ : nullptr; }

  std::size_t field_size() const noexcept {
    return fine_.layout.geometry().local_volume() * fine_.op.components();
  }
  time_split time_spent() const;
  double flops() const noexcept { return fine_.flops() + (coarse_ ? coarse_->flops() : 0.0); }
  /// Instruction set and lanes.
  std::string kernels() const;

 private:
  /// Fields of a solve, kept for the next: new memory takes as long as several passes over it.
  struct workspace {
    lane_field b_even, b_odd, x_even, x_odd;
    lane_field b;  ///< of the preconditioned system
    std::optional<refinement> refined;

    explicit workspace(linear_system& system);
    void reshape(int columns);
  };

  solver_level& iterating() noexcept { return coarse_ ? *coarse_ : fine_; }

  void spread_all(field sources, lane_field& half);
  void collect_all(const lane_field& half, solution solutions);
  void iterate(lane_field& x, lane_field& residual, const lane_field& b,
               const rhs_values& source_norms, std::span<solve_report> reports, int first);
  /// Of these columns, whose fields these are. Leaves |b - S x|^2 in `norms2`, and b - S x in r
  /// unless all meet their targets.
  krylov_results run(std::span<const int> columns, lane_field& x, lane_field& r,
                     const lane_field& b, const rhs_values& source_norms,
                     std::span<const solve_report> reports, int first, rhs_values& norms2);

  solve_options options_;
  const instruction_set& set_;
  thread_team team_;
  solver_level fine_;
  std::optional<solver_level> coarse_;
  std::optional<workspace> work_;  ///< from prepare_workspace() on
};

/// Whether a solve works in coarser numbers than its solution's, by its precision.
bool has_coarse(precision wanted);
/// And by its solver. Block CG of staggered fermions does not: most of its time goes into exact
/// sums of products, which coarse numbers make no faster, and their rounding loses the directions
/// that make a block converge sooner than its columns, five times the iterations on links badly
/// conditioned.
bool iterates_coarsely(const solve_options& options);
field_precision coarse_storage(precision wanted);
/// Of the numbers that solutions are kept in.
field_precision fine_storage(precision wanted);

}  // namespace onehop
