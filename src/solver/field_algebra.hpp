#pragma once
/// Linear algebra on fields of one parity, with the time and flops it takes.

#include "dirac/kernels.hpp"
#include "lattice/lane_field.hpp"
#include "lattice/site_sum.hpp"

#include <onehop/context.hpp>

#include <array>
#include <chrono>
#include <complex>
#include <cstddef>

namespace onehop {

/// Every sum is over all ranks and exact (site_sum), so its bits do not depend on the grid.
class field_algebra {
 public:
  field_algebra(const context& ctx, const kernel_table& kernels, const lane_layout& layout,
                int components);

  /// y += a x
  void axpy(lane_field& y, double a, const lane_field& x);
  void axpy(lane_field& y, std::complex<double> a, const lane_field& x);
  /// y = x + a y
  void xpay(lane_field& y, double a, const lane_field& x);
  void xpay(lane_field& y, std::complex<double> a, const lane_field& x);

  struct two_norms {
    double first, second;
  };
  struct dot_norm {
    std::complex<double> dot;
    double norm;
  };
  /// |x|^2. Collective, as all that follow.
  double norm2(const lane_field& x);
  /// |x|^2 and |y|^2 in one reduction.
  two_norms norms2(const lane_field& x, const lane_field& y);
  /// <x, y> = sum conj(x) y
  std::complex<double> dot(const lane_field& x, const lane_field& y);
  /// <x, y> and |z|^2 in one reduction.
  dot_norm dot_and_norm2(const lane_field& x, const lane_field& y, const lane_field& z);

  std::chrono::nanoseconds reduction_time() const noexcept { return reduction_time_; }
  /// Stated count, all ranks: 2 per real for real axpy and norms, 4 for complex ones and dots.
  double flops() const noexcept { return flops_; }

 private:
  site_sum norm_sum(const lane_field& x);
  std::array<site_sum, 2> dot_sums(const lane_field& x, const lane_field& y);
  void reduce(std::span<const site_sum> sums, std::span<double> results);
  void count(double flops_per_real);

  context ctx_;
  const kernel_table* kernels_;
  double global_reals_;  ///< of a field of one parity, all ranks
  aligned_reals site_re_, site_im_;
  std::chrono::nanoseconds reduction_time_{0};
  double flops_ = 0;
};

}  // namespace onehop
