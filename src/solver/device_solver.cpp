#include "solver/device_solver.hpp"

#include "solver/krylov.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace onehop {
namespace {

constexpr int odd = device_operator::solved;

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

/// As solver/level.cpp: far enough that corrections cost little, not so far that the residual
/// drowns in the rounding of coarse numbers.
double refresh_at(storage coarse) { return coarse == storage::fixed16 ? 0.1 : 0.02; }

}  // namespace

device_solver::device_solver(std::unique_ptr<device::backend> where, const hop_links& links,
                             const solve_options& options, storage fine, int fine_reals,
                             std::optional<storage> coarse)
    : options_(options),
      where_(std::move(where)),
      work_(where_->make_stream()),
      fine_(*where_, links, options, fine, fine_reals),
      coarse_(coarse ? std::optional<device_operator>(std::in_place, *where_, links, options,
                                                      *coarse, options.recon)
                     : std::nullopt),
      krylov_(make_device_krylov(options.solver, coarse_ ? *coarse_ : fine_)),
      x_(fine_.hop().make_field()),
      r_(fine_.hop().make_field()),
      canonical_(*where_,
                 fine_.hop().shape().local_volume() * x_.components() * 2 * sizeof(double)),
      host_canonical_(*where_,
                      fine_.hop().shape().local_volume() * x_.components() * 2 * sizeof(double),
                      device::memory::place::host) {}

void device_solver::write(std::span<const std::complex<double>> canonical, int parity, field& to) {
  std::memcpy(host_canonical_.data(), canonical.data(), canonical.size_bytes());
  work_->copy_in(canonical_.data(), host_canonical_.data(), canonical.size_bytes());
  const auto& hop = fine_.hop();
  hop.kernels().spread(
      *work_, {hop.map(), parity, to.view(), canonical_.as<double>(), to.count(), to.components()});
  work_->synchronise();
}

void device_solver::read(const field& from, int parity, std::span<std::complex<double>> canonical) {
  const auto& hop = fine_.hop();
  std::memcpy(host_canonical_.data(), canonical.data(), canonical.size_bytes());
  work_->copy_in(canonical_.data(), host_canonical_.data(), canonical.size_bytes());
  hop.kernels().collect(*work_, {hop.map(), parity, from.view(), canonical_.as<double>(),
                                 from.count(), from.components()});
  work_->copy_out(host_canonical_.data(), canonical_.data(), canonical.size_bytes());
  work_->synchronise();
  std::memcpy(canonical.data(), host_canonical_.data(), canonical.size_bytes());
}

std::function<void(int, double)> device_solver::progress_after(int done, double source_norm) const {
  if (!options_.progress) return {};
  return [this, done, source_norm](int iteration, double residual) {
    options_.progress({done + iteration, residual / source_norm, number_});
  };
}

/// r_ = rhs - S x_; |r_|.
double device_solver::residual(const field& rhs) {
  fine_.schur(*work_, r_, x_);
  fine_.xpay(*work_, r_, -1.0, rhs);
  return std::sqrt(fine_.norm2(*work_, r_));
}

void device_solver::run(const field&, double source_norm, solve_report& report) {
  fine_.convert(*work_, krylov_->residual(), r_);
  krylov_->solution().clear(*work_);
  krylov_->begin(*work_);
  krylov_->run(*work_, options_.tolerance * source_norm,
               options_.max_iterations - report.iterations,
               progress_after(report.iterations, source_norm));
  fine_.axpy(*work_, x_, 1.0, krylov_->solution());
  report.iterations += krylov_->iterations();
  report.residual_iterated = krylov_->residual_norm() / source_norm;
}

/// Reliable updates, see krylov_limits::refresh.
void device_solver::run_with_corrections(const field& rhs, double source_norm,
                                         solve_report& report) {
  const double target = options_.tolerance * source_norm;
  const int most = options_.max_iterations - report.iterations;
  const double fall = refresh_at(coarse_->hop().numbers());
  const auto progress = progress_after(report.iterations, source_norm);
  field correction = fine_.hop().make_field();
  coarse_->convert(*work_, krylov_->residual(), r_);
  krylov_->solution().clear(*work_);
  krylov_->begin(*work_);
  double norm = krylov_->residual_norm();
  double least = norm;
  int last_gain = 0;
  for (int in_vain = 0; norm > target && in_vain < 4 && krylov_->iterations() < most;) {
    // Coarse numbers may be unable to get there; twice what was needed so far must do.
    const int limit = last_gain > 0 ? std::min(most, 2 * last_gain + 100) : most;
    krylov_->run(*work_, std::max(target, fall * norm), limit, progress);
    fine_.convert(*work_, correction, krylov_->solution());
    fine_.axpy(*work_, x_, 1.0, correction);
    krylov_->solution().clear(*work_);
    norm = residual(rhs);
    if (norm <= 0.5 * least) {
      least = norm;
      last_gain = krylov_->iterations();
      in_vain = 0;
    } else {
      ++in_vain;
    }
    if (limit < most && krylov_->iterations() >= limit) break;
    krylov_->release_residual(*work_);
    coarse_->convert(*work_, krylov_->residual(), r_);
    krylov_->renew_residual(*work_);
  }
  report.iterations += krylov_->iterations();
  report.residual_iterated = norm / source_norm;
}

/// The residual that a solver carries along drifts from b - S x by rounding, so convergence is
/// believed only of the recomputed one; otherwise the solver restarts from it, as long as that
/// gains at least a factor of two.
void device_solver::iterate(const field& rhs, double source_norm, solve_report& report) {
  x_.clear(*work_);
  fine_.convert(*work_, r_, rhs);
  double previous = std::numeric_limits<double>::infinity();
  while (true) {
    coarse_ ? run_with_corrections(rhs, source_norm, report) : run(rhs, source_norm, report);
    const double now = residual(rhs) / source_norm;
    require_finite(now, "recomputed residual", report.iterations);
    report.converged = now <= options_.tolerance;
    const bool stuck = now > 0.5 * previous;
    if (report.converged || stuck || report.iterations >= options_.max_iterations) return;
    previous = now;
  }
}

std::chrono::nanoseconds device_solver::halo_wait() const {
  return fine_.hop().halo_wait() + (coarse_ ? coarse_->hop().halo_wait() : decltype(halo_wait()){});
}

std::chrono::nanoseconds device_solver::reduction_time() const {
  return fine_.reduction_time() + (coarse_ ? coarse_->reduction_time() : decltype(halo_wait()){});
}

solve_report device_solver::solve(std::span<const std::complex<double>> source,
                                  std::span<std::complex<double>> solution, int number) {
  number_ = number;
  const double flops_before = flops();
  field b_even = fine_.hop().make_field();
  field b_odd = fine_.hop().make_field();
  write(source, 1 - odd, b_even);
  write(source, odd, b_odd);
  const double source_norm = std::sqrt(fine_.norm2(*work_, b_even) + fine_.norm2(*work_, b_odd));
  require_finite(source_norm, "norm of the source", 0);
  solve_report report;
  field x_even = fine_.hop().make_field();
  if (source_norm == 0) {
    report.converged = true;
    x_.clear(*work_);
  } else {
    const context& ctx = fine_.hop().shape().context();
    const auto begin = ctx.now();
    const auto waited_before = halo_wait();
    const auto reduced_before = reduction_time();
    field rhs = fine_.hop().make_field();
    fine_.prepare(*work_, rhs, b_even, b_odd);
    iterate(rhs, source_norm, report);
    fine_.reconstruct(*work_, x_even, x_, b_even);
    work_->synchronise();
    report.time.halo_wait_s = seconds(halo_wait() - waited_before);
    report.time.reduction_s = seconds(reduction_time() - reduced_before);
    report.time.operator_s =
        seconds(ctx.now() - begin) - report.time.halo_wait_s - report.time.reduction_s;
  }
  read(x_even, 1 - odd, solution);
  read(x_, odd, solution);
  report.flops = flops() - flops_before;
  return report;
}

}  // namespace onehop
