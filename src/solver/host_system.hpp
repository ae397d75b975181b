#pragma once
/// A host_system is a linear_system with its fields in SIMD lanes on the host.

#include "lattice/lane_conversion.hpp"
#include "solver/level.hpp"
#include "solver/linear_system.hpp"

#include <optional>
#include <span>
#include <vector>

namespace onehop {

class host_system final : public linear_system {
 public:
  /// The constructor is collective. Throws what propagator_solver throws.
  host_system(const hop_links& links, const solve_options& options);

  void prepare_workspace() override;
  time_split time_spent() const override;
  double flops() const override { return fine_.flops() + (coarse_ ? coarse_->flops() : 0.0); }
  std::string kernels() const override;

  /// Sets out = M in or M^+ in. Collective.
  void apply(field in, solution out, bool dagger);

  thread_team& team() noexcept { return team_; }
  solver_level& fine() noexcept { return fine_; }
  /// Returns the coarse level, or null if everything is done in the fine precision.
  solver_level* coarse() noexcept { return coarse_ ? &*coarse_ : nullptr; }
  std::size_t field_size() const noexcept {
    return fine_.layout.geometry().local_volume() * fine_.op.components();
  }

 private:
  /// A refinement has the fields of a recurrence that does not work on x and r directly.
  struct refinement {
    lane_conversion conversion;    ///< between the two levels, which may be the same
    std::vector<int> every;        ///< numbers of all right-hand sides
    lane_field x_part, b_part;     ///< the right-hand sides that are updated
    lane_field found, iterated_r;  ///< x and r of the recurrence

    refinement(const solver_level& fine, const solver_level& iterating, int rhs);
  };
  /// The workspace has the fields of a solve and is kept for the next one, because new memory costs
  /// as much time as several passes over it.
  struct workspace {
    lane_field b_even, b_odd, x_even, x_odd;
    lane_field b;                ///< right-hand side of the preconditioned system
    std::vector<int> r_numbers;  ///< right-hand sides whose residuals are in r()
    std::optional<refinement> refined;

    workspace(const even_odd_operator& op, int rhs);
    /// Returns the residuals, which replace the source because it is not needed any more.
    lane_field& r() noexcept { return b_odd; }
    void reshape(int rhs);
  };

  rhs_values load(field sources) override;
  krylov_results iterate(std::span<const int> numbers, const krylov_limits& limits) override;
  rhs_values finish(std::span<const int> numbers) override;
  void store(solution solutions) override;

  solver_level& iterating() noexcept { return coarse_ ? *coarse_ : fine_; }
  krylov_results iterate_in_place(std::span<const int> numbers, const krylov_limits& limits);
  /// Recomputes r of these right-hand sides, after which r holds only these; returns |r|^2.
  rhs_values compute_residual(std::span<const int> numbers);
  void convert(const lane_conversion::job& what);
  void spread_all(field sources, lane_field& half);
  void collect_all(const lane_field& half, solution solutions);

  const instruction_set& set_;
  thread_team team_;
  solver_level fine_;
  std::optional<solver_level> coarse_;
  std::optional<workspace> work_;  ///< set once prepare_workspace() has run
};

}  // namespace onehop
