#pragma once
/// A propagator_solver solves M x = b for one or several sources at a time on a fixed
/// configuration.

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

/// Spinor fields here are canonical: the order is site ((t*Lz+z)*Ly+y)*Lx+x of the local block,
/// then spin, then colour.
class propagator_solver {
 public:
  /// The constructor is collective. `links` must have valid ghosts and is not needed afterwards. It
  /// throws usage_error for links too far from SU(3) to be reconstructed from fewer reals, for an
  /// odd extent, for bicgstab on staggered fermions (where CG costs no more), for pipelined_cg and
  /// block_cg in half, for block_cg of more than 12 sources at a time, for a parameter of M that is
  /// not finite, for a device that is not there or has no kernels for these options, for a mass at
  /// which the diagonal of M vanishes or a clover block is singular, for a tolerance, iteration
  /// limit or number of sources at a time that is not positive, and where ranks differ in an option
  /// but threads, device and share_device; numeric_error where links that are not finite make
  /// clover blocks or fat links. A solve on other such links throws it.
  propagator_solver(const gauge_field& links, const solve_options& options);
  ~propagator_solver();
  propagator_solver(propagator_solver&&) noexcept;

  /// Allocates the memory that solve() and solve_many() work in, for options().rhs sources at a
  /// time. Without this call the first solve allocates it, in no report's time.
  void prepare_workspace();

  /// Solves M solution = source; collective. `source` and `solution` have local_volume * components
  /// entries and do not overlap, otherwise it throws usage_error. A solve that does not converge is
  /// reported, not thrown; numeric_error is thrown when the true residual contradicts the iterated
  /// one.
  solve_report solve(std::span<const std::complex<double>> source,
                     std::span<std::complex<double>> solution);

  /// Solves for any number of sources, one field behind the other, in batches of about equal size
  /// of at most options().rhs. Each right-hand side gets the same bits and, but for times and
  /// flops, the same report as in a solve of its own, except with block_cg, whose right-hand sides
  /// share their directions and iterations.
  std::vector<solve_report> solve_many(std::span<const std::complex<double>> sources,
                                       std::span<std::complex<double>> solutions);

  /// Solves x_k = (M^+ M + shifts[k])^-1 source for all shifts in one Krylov space (multi-shift
  /// CG); a shift that falls short then goes on alone until |source - (M^+ M + shift) x| / |source|
  /// meets the tolerance. Solutions lie one behind the other. Each shift has a report, whose
  /// iterations are those that it shared with the other shifts and those of its own. Throws
  /// usage_error for a negative shift and for a solver other than cg.
  std::vector<solve_report> solve_shifted(std::span<const std::complex<double>> source,
                                          std::span<const double> shifts,
                                          std::span<std::complex<double>> solutions);
  /// Solves M x_k = source for staggered fermions with these masses instead of the operator's own,
  /// as solve_shifted does: M^+ M depends on the mass by a shift. Throws usage_error for other
  /// operators and for a mass that is not positive.
  std::vector<solve_report> solve_masses(std::span<const std::complex<double>> source,
                                         std::span<const double> masses,
                                         std::span<std::complex<double>> solutions);

  /// Computes out = M in, or M^+ in, by the fast operator. Collective.
  void apply(std::span<const std::complex<double>> in, std::span<std::complex<double>> out,
             bool dagger = false);

  const onehop::geometry& geometry() const noexcept;
  const solve_options& options() const noexcept;
  /// Returns the seconds that this rank took for setup: links in the order of the kernels, and
  /// memory.
  double setup_s() const noexcept;
  /// Returns the instruction set and lanes of the kernels in use, those of the coarse precision
  /// last, e.g. "avx512 x8, x16"; or the device, "cuda 0: NVIDIA H200".
  std::string kernels() const;

 private:
  struct state;
  friend struct solver_on_backend;
  explicit propagator_solver(std::unique_ptr<state> made) noexcept;

  std::unique_ptr<state> state_;
};

/// Adds sum_x sum_component |solution|^2 of each global time slice to `correlator` (Nt entries,
/// t counted from `t_source`), bit-identical on every grid. Throws usage_error for a t_source
/// outside the lattice. Collective.
void add_pion_correlator(const geometry& geometry, int components, int t_source,
                         std::span<const std::complex<double>> solution,
                         std::span<double> correlator);

/// A point-source propagator has the solutions for all components of the source.
struct propagator {
  int components;                          ///< components of a site, 12 or 3
  std::vector<std::complex<double>> data;  ///< [source component][canonical spinor field]
  std::vector<double> correlator;          ///< pseudoscalar correlator, Nt entries
  std::vector<solve_report> reports;       ///< one per source component
};
propagator solve_point_propagator(propagator_solver& solver, const coordinate& site = {0, 0, 0, 0});

}  // namespace onehop
