#include "solver/field_algebra.hpp"

#include "device/launch.hpp"

#include <algorithm>

namespace onehop {

field_algebra::field_algebra(const context& ctx, const kernel_table& kernels,
                             const lane_layout& layout, int components, thread_team& team)
    : ctx_(ctx),
      kernels_(&kernels),
      team_(&team),
      global_reals_(static_cast<double>(layout.geometry().volume()) * components),
      site_re_(static_cast<std::size_t>(std::max(layout.vectors(0), layout.vectors(1))) *
               layout.lanes() * sizeof(double)),
      site_im_(site_re_.size()),
      partial_(team.threads()) {}

void field_algebra::run(kernel function, field_job job, const lane_field& shape) {
  const auto begin = ctx_.now();
  job.components = shape.components();
  team_->run([&](int thread) {
    const auto share = team_->share(shape.blocks(), thread);
    const std::size_t bytes = share.begin * shape.block_size();
    const std::size_t sites = share.begin * shape.lanes();
    field_job mine = job;
    if (job.y != nullptr) mine.y += bytes;
    if (job.x != nullptr) mine.x += bytes;
    if (job.z != nullptr) mine.z += bytes;
    if (job.w != nullptr) mine.w += bytes;
    if (job.re != nullptr) mine.re += sites;
    if (job.im != nullptr) mine.im += sites;
    mine.blocks = share.end - share.begin;
    function(mine);
  });
  vector_time_ += ctx_.now() - begin;
}

void field_algebra::axpy(lane_field& y, double a, const lane_field& x) {
  run(kernels_->axpy, {.y = y.data(), .x = x.data(), .a_re = a}, y);
  count(2);
}

void field_algebra::axpy(lane_field& y, std::complex<double> a, const lane_field& x) {
  run(kernels_->complex_axpy, {.y = y.data(), .x = x.data(), .a_re = a.real(), .a_im = a.imag()},
      y);
  count(4);
}

void field_algebra::xpay(lane_field& y, double a, const lane_field& x) {
  run(kernels_->xpay, {.y = y.data(), .x = x.data(), .a_re = a}, y);
  count(2);
}

void field_algebra::xpay(lane_field& y, std::complex<double> a, const lane_field& x) {
  run(kernels_->complex_xpay, {.y = y.data(), .x = x.data(), .a_re = a.real(), .a_im = a.imag()},
      y);
  count(4);
}

site_sum field_algebra::add_up(const double* terms, std::size_t count) {
  const auto begin = ctx_.now();
  team_->run([&](int thread) {
    const auto share = team_->share(count, thread);
    partial_[thread] = {};
    partial_[thread].add(std::span(terms + share.begin, terms + share.end));
  });
  for (std::size_t k = 1; k < partial_.size(); ++k) partial_[0].merge(partial_[k]);
  vector_time_ += ctx_.now() - begin;
  return partial_[0];
}

site_sum field_algebra::left_norms(const lane_field& shape) {
  return add_up(site_re_.doubles().data(), shape.blocks() * shape.lanes());
}

site_sum field_algebra::left_dots(const lane_field& shape) {
  return add_up(site_im_.doubles().data(), shape.blocks() * shape.lanes());
}

site_sum field_algebra::norm_sum(const lane_field& x) {
  run(kernels_->site_norms, {.x = x.data(), .re = site_re_.doubles().data()}, x);
  count(2);
  return left_norms(x);
}

site_sum field_algebra::cg_step(lane_field& y, double a, const lane_field& x, lane_field& z,
                                const lane_field& w) {
  run(kernels_->cg_update,
      {.y = y.data(),
       .x = x.data(),
       .z = z.data(),
       .w = w.data(),
       .a_re = a,
       .re = site_re_.doubles().data()},
      y);
  count(6, 6);
  return left_norms(y);
}

std::array<site_sum, 2> field_algebra::dot_sums(const lane_field& x, const lane_field& y) {
  run(kernels_->site_dots,
      {.x = x.data(),
       .w = y.data(),
       .re = site_re_.doubles().data(),
       .im = site_im_.doubles().data()},
      x);
  count(4);
  return {left_norms(x), left_dots(x)};
}

void field_algebra::reduce(std::span<const site_sum> sums, std::span<double> results) {
  const auto begin = ctx_.now();
  totals(ctx_, sums, results);
  reduction_time_ += ctx_.now() - begin;
}

double field_algebra::total(const site_sum& sum) {
  double result = 0;
  reduce({&sum, 1}, {&result, 1});
  return result;
}

field_algebra::two_norms field_algebra::total(const site_sum& first, const site_sum& second) {
  const std::array<site_sum, 2> sums = {first, second};
  std::array<double, 2> results{};
  reduce(sums, results);
  return {results[0], results[1]};
}

double field_algebra::norm2(const lane_field& x) { return total(norm_sum(x)); }

field_algebra::two_norms field_algebra::norms2(const lane_field& x, const lane_field& y) {
  const site_sum first = norm_sum(x);
  return total(first, norm_sum(y));
}

std::complex<double> field_algebra::dot(const lane_field& x, const lane_field& y) {
  const std::array<site_sum, 2> sums = dot_sums(x, y);
  std::array<double, 2> results{};
  reduce(sums, results);
  return {results[0], results[1]};
}

field_algebra::dot_norm field_algebra::dot_and_norm2(const lane_field& x, const lane_field& y,
                                                     const lane_field& z) {
  const std::array<site_sum, 2> dot = dot_sums(x, y);
  const std::array<site_sum, 3> sums = {dot[0], dot[1], norm_sum(z)};
  std::array<double, 3> results{};
  reduce(sums, results);
  return {{results[0], results[1]}, results[2]};
}

// A field of one parity has components complex numbers on half of the sites.
void field_algebra::count(double flops_per_real, double fields) {
  const auto begin = ctx_.now();
  flops_ += flops_per_real * global_reals_;
  const double mine = global_reals_ / ctx_.size();
  const double bytes = kernels_->kind == storage::fixed16
                           ? 2
                           : static_cast<double>(arithmetic_bytes(kernels_->kind));
  device::charge(ctx_, {flops_per_real * mine, fields * bytes * mine, 1});
  vector_time_ += ctx_.now() - begin;
}

}  // namespace onehop
