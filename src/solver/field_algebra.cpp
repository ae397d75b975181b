#include "solver/field_algebra.hpp"

#include "device/launch.hpp"

#include <algorithm>

namespace onehop {

field_algebra::field_algebra(const context& ctx, const kernel_table& kernels,
                             const lane_layout& layout, int components)
    : ctx_(ctx),
      kernels_(&kernels),
      global_reals_(static_cast<double>(layout.geometry().volume()) * components),
      site_re_(static_cast<std::size_t>(std::max(layout.vectors(0), layout.vectors(1))) *
               layout.lanes()),
      site_im_(site_re_.size()) {}

void field_algebra::axpy(lane_field& y, double a, const lane_field& x) {
  kernels_->axpy(y.data(), a, x.data(), x.size());
  count(2);
}

void field_algebra::axpy(lane_field& y, std::complex<double> a, const lane_field& x) {
  kernels_->complex_axpy(y.data(), a.real(), a.imag(), x.data(), x.vectors() * x.components());
  count(4);
}

void field_algebra::xpay(lane_field& y, double a, const lane_field& x) {
  kernels_->xpay(y.data(), a, x.data(), x.size());
  count(2);
}

void field_algebra::xpay(lane_field& y, std::complex<double> a, const lane_field& x) {
  kernels_->complex_xpay(y.data(), a.real(), a.imag(), x.data(), x.vectors() * x.components());
  count(4);
}

site_sum field_algebra::norm_sum(const lane_field& x) {
  kernels_->site_norms(site_re_.data(), x.data(), x.vectors(), x.components());
  count(2);
  site_sum sum;
  sum.add(std::span<const double>(site_re_.data(), x.vectors() * x.lanes()));
  return sum;
}

std::array<site_sum, 2> field_algebra::dot_sums(const lane_field& x, const lane_field& y) {
  kernels_->site_dots(site_re_.data(), site_im_.data(), x.data(), y.data(), x.vectors(),
                      x.components());
  count(4);
  std::array<site_sum, 2> sums;
  sums[0].add(std::span<const double>(site_re_.data(), x.vectors() * x.lanes()));
  sums[1].add(std::span<const double>(site_im_.data(), x.vectors() * x.lanes()));
  return sums;
}

void field_algebra::reduce(std::span<const site_sum> sums, std::span<double> results) {
  const auto begin = ctx_.now();
  totals(ctx_, sums, results);
  reduction_time_ += ctx_.now() - begin;
}

double field_algebra::norm2(const lane_field& x) {
  const site_sum sum = norm_sum(x);
  double result = 0;
  reduce({&sum, 1}, {&result, 1});
  return result;
}

field_algebra::two_norms field_algebra::norms2(const lane_field& x, const lane_field& y) {
  const std::array<site_sum, 2> sums = {norm_sum(x), norm_sum(y)};
  std::array<double, 2> results{};
  reduce(sums, results);
  return {results[0], results[1]};
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
void field_algebra::count(double flops_per_real) {
  flops_ += flops_per_real * global_reals_;
  // Two reals are read for each that is written or summed.
  const double mine = global_reals_ / ctx_.size();
  device::charge(ctx_, {flops_per_real * mine, 3 * sizeof(double) * mine, 1});
}

}  // namespace onehop
