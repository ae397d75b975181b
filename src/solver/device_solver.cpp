#include "solver/device_solver.hpp"

#include "base/seconds.hpp"
#include "solver/refinement.hpp"
#include "solver/restarts.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace onehop {
namespace {

constexpr int odd = device_operator::solved;

}  // namespace

device_solver::device_solver(std::unique_ptr<device::backend> where, const hop_links& links,
                             const solve_options& options, field_precision fine, int fine_reals,
                             std::optional<field_precision> coarse)
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
      found_(coarse_ ? std::optional(fine_.hop().make_field()) : std::nullopt),
      solved_(*where_, options.rhs),
      open_(*where_, options.rhs),
      canonical_(*where_,
                 fine_.hop().shape().local_volume() * x_.components() * 2 * sizeof(double)),
      host_canonical_(*where_,
                      fine_.hop().shape().local_volume() * x_.components() * 2 * sizeof(double),
                      device::memory::place::host) {}

void device_solver::reshape(int columns) {
  if (columns == fine_.columns()) return;
  fine_.reshape(columns);
  if (coarse_) coarse_->reshape(columns);
  krylov_->reshape(columns);
  x_.reshape(columns);
  r_.reshape(columns);
  if (found_) found_->reshape(columns);
}

void device_solver::write(std::span<const std::complex<double>> canonical, int parity, field& to) {
  const auto& hop = fine_.hop();
  const std::size_t size = canonical.size() / static_cast<std::size_t>(to.columns());
  for (int k = 0; k < to.columns(); ++k) {
    const auto one = canonical.subspan(k * size, size);
    std::memcpy(host_canonical_.data(), one.data(), one.size_bytes());
    work_->copy_in(canonical_.data(), host_canonical_.data(), one.size_bytes());
    hop.kernels().spread(*work_, {hop.map(), parity, to.view(k), canonical_.as<double>(),
                                  to.count(), to.components()});
    work_->synchronise();
  }
}

void device_solver::read(const field& from, int parity, std::span<std::complex<double>> canonical) {
  const auto& hop = fine_.hop();
  const std::size_t size = canonical.size() / static_cast<std::size_t>(from.columns());
  for (int k = 0; k < from.columns(); ++k) {
    const auto one = canonical.subspan(k * size, size);
    std::memcpy(host_canonical_.data(), one.data(), one.size_bytes());
    work_->copy_in(canonical_.data(), host_canonical_.data(), one.size_bytes());
    hop.kernels().collect(*work_, {hop.map(), parity, from.view(k), canonical_.as<double>(),
                                   from.count(), from.components()});
    work_->copy_out(host_canonical_.data(), canonical_.data(), one.size_bytes());
    work_->synchronise();
    std::memcpy(one.data(), host_canonical_.data(), one.size_bytes());
  }
}

rhs_values device_solver::norms_of(const field& even, const field& odd) {
  rhs_values norms = fine_.norm2(*work_, even, open_);
  const rhs_values others = fine_.norm2(*work_, odd, open_);
  for (std::size_t k = 0; k < norms.size(); ++k) norms[k] = std::sqrt(norms[k] + others[k]);
  return norms;
}

std::function<void(int, int, double)> device_solver::progress() const {
  if (!options_.progress) return {};
  return [this](int number, int iteration, double residual) {
    const column& of = columns_[static_cast<std::size_t>(number)];
    options_.progress(
        {of.report.iterations + iteration, residual / of.source_norm, first_ + number});
  };
}

template <class Test>
std::vector<bool> device_solver::those_that(const Test& test) const {
  std::vector<bool> chosen;
  for (std::size_t k = 0; k < columns_.size(); ++k) chosen.push_back(test(k));
  return chosen;
}

/// Sets r_ = rhs - S x_ and returns |r_|^2.
rhs_values device_solver::residual(const field& rhs, const rhs_mask& which) {
  fine_.schur(*work_, r_, x_, which);
  fine_.xpay(*work_, r_, -1.0, rhs, which);
  return fine_.norm2(*work_, r_, which);
}

void device_solver::add_found(const rhs_mask& which) {
  if (coarse_) {
    fine_.convert(*work_, *found_, krylov_->solution(), which);
    fine_.axpy(*work_, x_, 1.0, *found_, which);
  } else {
    fine_.axpy(*work_, x_, 1.0, krylov_->solution(), which);
  }
  krylov_->solution().clear(*work_);
}

rhs_values device_solver::run(const field& rhs, const rhs_mask& open) {
  device_operator& inner = coarse_ ? *coarse_ : fine_;
  inner.convert(*work_, krylov_->residual(), r_, open);
  krylov_->solution().clear(*work_);
  krylov_limits limits;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    limits.columns.push_back({options_.tolerance * columns_[k].source_norm, most(k)});
  }
  limits.progress = progress();
  if (coarse_) limits.rule = update_rule_of(inner.hop().precision(), options_.solver);
  const krylov_results results = krylov_->run(*work_, open, limits, [&](const rhs_mask& due) {
    add_found(open);
    rhs_values norms2 = residual(rhs, due);
    inner.convert(*work_, krylov_->residual(), r_, due);
    return norms2;
  });
  add_found(open);
  rhs_values norms = residual(rhs, open);
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    norms[k] = std::sqrt(norms[k]);
    if (!open.has(k)) continue;
    solve_report& report = columns_[k].report;
    report.iterations += results[k].iterations;
    report.reliable_updates += results[k].updates;
    report.residual_iterated = results[k].residual / columns_[k].source_norm;
  }
  return norms;
}

void device_solver::iterate(const field& rhs) {
  x_.clear(*work_);
  fine_.convert(*work_, r_, rhs, open_);
  std::vector<restarts> again(columns_.size());
  while (!open_.empty()) {
    const rhs_values norms = run(rhs, open_);
    open_.choose(*work_, those_that([&](std::size_t k) {
      column& c = columns_[k];
      return open_.has(k) && again[k].wanted(norms[k], c.source_norm, options_, c.report);
    }));
  }
}

std::chrono::nanoseconds device_solver::halo_wait() const {
  return fine_.hop().halo_wait() + (coarse_ ? coarse_->hop().halo_wait() : decltype(halo_wait()){});
}

std::chrono::nanoseconds device_solver::reduction_time() const {
  return fine_.reduction_time() + (coarse_ ? coarse_->reduction_time() : decltype(halo_wait()){});
}

std::vector<solve_report> device_solver::solve(std::span<const std::complex<double>> sources,
                                               std::span<std::complex<double>> solutions,
                                               int first) {
  const std::size_t size = fine_.hop().shape().local_volume() * x_.components();
  const std::size_t columns = sources.size() / size;
  first_ = first;
  reshape(static_cast<int>(columns));
  const double flops_before = flops();
  field b_even = fine_.make_field();
  field b_odd = fine_.make_field();
  write(sources, 1 - odd, b_even);
  write(sources, odd, b_odd);
  open_.choose(*work_, std::vector<bool>(columns, true));
  columns_.clear();
  for (const double norm : norms_of(b_even, b_odd)) {
    require_finite(norm, "norm of the source", 0);
    columns_.push_back({norm, {}});
    columns_.back().report.converged = norm == 0;
  }
  solved_.choose(*work_, those_that([&](std::size_t k) { return columns_[k].source_norm != 0; }));
  open_.choose(*work_, solved_.columns());
  const context& ctx = fine_.hop().shape().context();
  const auto begin = ctx.now();
  const auto waited_before = halo_wait();
  const auto reduced_before = reduction_time();
  field rhs = fine_.make_field();
  field x_even = fine_.make_field();
  fine_.prepare(*work_, rhs, b_even, b_odd, solved_);
  iterate(rhs);
  fine_.reconstruct(*work_, x_even, x_, b_even, solved_);
  fine_.hop().synchronise(*work_);
  time_split time;
  const auto shared = static_cast<double>(columns);
  time.halo_wait_s = seconds(halo_wait() - waited_before) / shared;
  time.reduction_s = seconds(reduction_time() - reduced_before) / shared;
  time.operator_s = seconds(ctx.now() - begin) / shared - time.halo_wait_s - time.reduction_s;
  read(x_even, 1 - odd, solutions);
  read(x_, odd, solutions);
  std::vector<solve_report> reports;
  for (column& c : columns_) {
    c.report.time = time;
    c.report.flops = (flops() - flops_before) / shared;
    reports.push_back(c.report);
  }
  return reports;
}

}  // namespace onehop
