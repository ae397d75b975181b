#pragma once
/// A propagator_solver solves M x = b on a fixed configuration, for one or several sources at a
/// time.

#include <onehop/gauge_field.hpp>
#include <onehop/solve_report.hpp>
#include <onehop/solver_options.hpp>
#include <onehop/source.hpp>

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onehop {

/// Spinor fields are canonical here: their order is site ((t*Lz+z)*Ly+y)*Lx+x of the local block,
/// then spin, then colour.
class propagator_solver {
 public:
  /// Prepares the solver; collective. `links` must have valid ghosts and is not needed afterwards.
  ///
  /// Throws usage_error for links too far from SU(3) to be reconstructed from fewer reals, and for
  /// an odd extent; for bicgstab on staggered fermions (where CG costs no more), for pipelined_cg
  /// and block_cg in half, and for block_cg with more than 12 sources at a time; for a parameter of
  /// M that is not finite, and for a mass at which the diagonal of M vanishes or a clover block is
  /// singular; for a device that does not exist or has no kernels for these options; for a
  /// tolerance, iteration limit or number of sources at a time that is not positive; and if ranks
  /// differ in an option other than threads, device and share_device.
  ///
  /// Throws numeric_error if links that are not finite enter clover blocks or fat links. For other
  /// operators with such links, a solve throws it.
  propagator_solver(const gauge_field& links, const solve_options& options);
  ~propagator_solver();
  propagator_solver(propagator_solver&&) noexcept;

  /// Allocates the memory that solve() and solve_many() work in, for options().rhs sources at a
  /// time. Without this call the first solve allocates it, and no report counts that time.
  void prepare_workspace();

  /// Solves M solution = source; collective. Throws usage_error unless `source` and `solution` have
  /// local_volume * components entries and do not overlap. A solve that does not converge is
  /// reported, not thrown. Throws numeric_error if the true residual contradicts the iterated one.
  solve_report solve(std::span<const std::complex<double>> source,
                     std::span<std::complex<double>> solution);

  /// Solves for any number of sources, stored one after the other, in batches of about equal size
  /// of at most options().rhs. Each right-hand side gets the same bits as in a separate solve, and
  /// the same report except for times and flops. The exception is block_cg, whose right-hand sides
  /// share their search directions and iterations.
  std::vector<solve_report> solve_many(std::span<const std::complex<double>> sources,
                                       std::span<std::complex<double>> solutions);

  /// Solves x_k = (M^+ M + shifts[k])^-1 source for all shifts in one Krylov space (multi-shift
  /// CG). A shift that has not converged then continues alone until |source - (M^+ M + shift) x| /
  /// |source| meets the tolerance. Solutions are stored one after the other. Each shift has a
  /// report, whose iterations are those that it shared with the other shifts plus its own. Throws
  /// usage_error for a negative shift and for a solver other than cg.
  std::vector<solve_report> solve_shifted(std::span<const std::complex<double>> source,
                                          std::span<const double> shifts,
                                          std::span<std::complex<double>> solutions);
  /// Solves M x_k = source for staggered fermions with these masses instead of the operator's own.
  /// It works as solve_shifted does, because masses change M^+ M only by a shift. Throws
  /// usage_error for other operators and for a mass that is not positive.
  std::vector<solve_report> solve_masses(std::span<const std::complex<double>> source,
                                         std::span<const double> masses,
                                         std::span<std::complex<double>> solutions);

  /// Computes out = M in, or M^+ in, with the fast operator. Collective.
  void apply(std::span<const std::complex<double>> in, std::span<std::complex<double>> out,
             bool dagger = false);

  const onehop::geometry& geometry() const noexcept;
  const solve_options& options() const noexcept;
  /// Returns the seconds that this rank needed for setup: for reordering the links for the kernels,
  /// and for memory.
  double setup_s() const noexcept;
  /// Returns the instruction set and number of lanes of the kernels in use, with those of the
  /// coarse precision last, e.g. "avx512 x8, x16"; or the device, "cuda 0: NVIDIA H200".
  std::string kernels() const;

 private:
  struct state;
  friend struct solver_on_backend;
  explicit propagator_solver(std::unique_ptr<state> made) noexcept;

  std::unique_ptr<state> state_;
};

/// Adds sum_x sum_component |solution|^2 of each global time slice to `correlator` (Nt entries, t
/// counted from `t_source`), bit-identical on every grid. Throws usage_error for a t_source outside
/// the lattice. Collective.
void add_pion_correlator(const geometry& geometry, int components, int t_source,
                         std::span<const std::complex<double>> solution,
                         std::span<double> correlator);

/// A propagator from a point source holds the solutions for all components of the source.
struct propagator {
  int components;                          ///< components of a site, 12 or 3
  std::vector<std::complex<double>> data;  ///< [source component][canonical spinor field]
  std::vector<double> correlator;          ///< pseudoscalar correlator, Nt entries
  std::vector<solve_report> reports;       ///< one per source component
};
propagator solve_point_propagator(propagator_solver& solver, const coordinate& site = {0, 0, 0, 0});

}  // namespace onehop
