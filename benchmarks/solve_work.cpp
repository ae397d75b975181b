#include "benchmarks/solve_work.hpp"

#include <onehop/propagator.hpp>

#include <algorithm>

namespace onehop::bench {
namespace {

/// Returns the number of iterations of one run, which is so small that no recurrence has ended.
int most_iterations(solver_kind solver) { return solver == solver_kind::bicgstab ? 8 : 24; }

/// These are the fields that the vector algebra of an iteration reads or writes, in addition to the
/// operator.
struct passes {
  double read, written;
};
passes vector_passes(solver_kind solver, bool hermitian) {
  switch (solver) {
    case solver_kind::bicgstab:
      // These are the passes of dots, half_step, two_dots and stabilised_step.
      return {2 + 3 + 3 + 5, 1 + 3};
    case solver_kind::pipelined_cg:
      return {7, 6};
    case solver_kind::block_cg:
      // These are the passes of products (of P and V, or of S P), block_step and block_turn; each
      // counts a field once.
      return {(hermitian ? 2.0 : 1.0) + 4 + 2, 2 + 2};
    default:
      // These are the passes of residual_step and direction_step.
      return {2 + 3, 1 + 2};
  }
}

double to_seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

solve_options bench_options(const operator_cell& cell) {
  solve_options options = cell;
  // The mass is large, because an iteration costs the same at any mass and solutions are found
  // sooner.
  options.dirac = with_mass(cell.dirac, 0.5);
  options.tolerance = error_limit(cell.precision);
  return options;
}

double error_limit(precision wanted) {
  return wanted == precision::double_ ? 1e-13 : wanted == precision::single ? 1e-5 : 1e-3;
}

struct solve_work::moment {
  measure::stopwatch::clock::time_point time;
  hop_time hops;
  std::chrono::nanoseconds vectors, reductions;
  double flops;
};

solve_work::moment solve_work::now() const {
  return {measure::stopwatch::clock::now(), level_.op.time(), level_.algebra.vector_time(),
          level_.algebra.reduction_time(), level_.flops()};
}

solve_work::solve_work(const hop_links& links, const operator_cell& cell, field_precision kind,
                       const instruction_set& set, thread_team& team)
    : links_(&links),
      cell_(cell),
      level_(links, bench_options(cell), kind, cell.recon, set, team),
      source_(level_.op.make_field(even_odd_operator::solved, cell.rhs)),
      x_(level_.op.make_field(even_odd_operator::solved, cell.rhs)),
      r_(level_.op.make_field(even_odd_operator::solved, cell.rhs)) {
  for (int k = 0; k < cell.rhs; ++k) {
    spread(level_.layout, noise(links.geometry(), kind_of(cell.dirac), k + 1), source_, k);
  }
  seconds(1);
}

double solve_work::seconds(int count) {
  barrier(level_.layout.geometry().context());
  split_ = {};
  flops_ = 0;
  const int most = most_iterations(cell_.solver);
  for (int done = 0; done < count; done += most) some_iterations(std::min(most, count - done));
  for (double* part : {&split_.whole, &split_.operators, &split_.faces, &split_.reductions,
                       &split_.vectors, &flops_}) {
    *part /= count;
  }
  return split_.whole * count;
}

void solve_work::some_iterations(int count) {
  x_.set_zero(level_.op.team());
  // The last run has left the residual without right-hand sides.
  r_.reshape(cell_.rhs);
  r_.copy_from(source_, level_.op.team());
  krylov_limits limits;
  // The target is never reached.
  limits.rhs.assign(cell_.rhs, {-1.0, count + 1});
  moment begin{}, end{};
  int first = 0, last = 0;
  limits.progress = [&](int, int iteration, double) {
    end = now();
    last = iteration;
    if (first != 0) return;
    begin = end;
    first = iteration;
  };
  level_.run(cell_.solver, x_, r_, limits);
  // A recurrence that breaks down ends early; the times of its iterations are then scaled up to
  // `count`.
  const double scale = static_cast<double>(count) / std::max(1, last - first);
  split_.whole += scale * std::chrono::duration<double>(end.time - begin.time).count();
  split_.operators += scale * to_seconds(end.hops.compute - begin.hops.compute);
  split_.faces += scale * to_seconds(end.hops.halo_wait - begin.hops.halo_wait);
  split_.vectors += scale * to_seconds(end.vectors - begin.vectors);
  split_.reductions += scale * to_seconds(end.reductions - begin.reductions);
  flops_ += scale * (end.flops - begin.flops);
}

double solve_work::applications() const {
  const bool once = level_.op.hermitian() && cell_.solver != solver_kind::bicgstab;
  return once ? 1 : 2;
}

double solve_work::bytes() const {
  const passes vectors = vector_passes(cell_.solver, level_.op.hermitian());
  return applications() * static_cast<double>(level_.op.schur_bytes(cell_.rhs)) +
         (vectors.read + vectors.written) * static_cast<double>(source_.bytes());
}

double solve_work::bytes_written() const {
  return (2 * applications() + vector_passes(cell_.solver, level_.op.hermitian()).written) *
         static_cast<double>(source_.bytes());
}

/// The working set consists of links, input and output of a hop, blocks, and x, r, p, S^+ r.
double solve_work::working_set() const {
  return static_cast<double>(level_.op.hop_bytes(false, cell_.rhs) + level_.op.diagonal_bytes()) +
         4 * static_cast<double>(source_.bytes());
}

double solve_work::error() {
  propagator_solver solver(links_->thin(), bench_options(cell_));
  std::vector<std::complex<double>> b;
  for (int k = 0; k < cell_.rhs; ++k) {
    const auto one = noise(links_->geometry(), kind_of(cell_.dirac), k + 1);
    b.insert(b.end(), one.begin(), one.end());
  }
  std::vector<std::complex<double>> x(b.size());
  double worst = 0;
  for (const solve_report& report : solver.solve_many(b, x)) {
    worst = std::max(worst, report.residual_true);
  }
  return worst;
}

}  // namespace onehop::bench
