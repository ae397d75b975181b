#pragma once
/// Linear algebra on fields of one parity, with the time and flops it takes.

#include "dirac/kernels.hpp"
#include "lattice/lane_field.hpp"
#include "lattice/site_sum.hpp"
#include "machine/thread_team.hpp"

#include <onehop/context.hpp>

#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <vector>

namespace onehop {

/// Every sum is over all ranks and exact (site_sum), so its bits do not depend on the grid.
class field_algebra {
 public:
  /// `team` must outlive this.
  field_algebra(const context& ctx, const kernel_table& kernels, const lane_layout& layout,
                int components, thread_team& team);

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

  /// y += a x and z -= a w in one pass, CG's step. This rank's part of |z|^2.
  site_sum cg_step(lane_field& y, double a, const lane_field& x, lane_field& z,
                   const lane_field& w);

  /// Where a kernel leaves what it adds up on its way over a field of one parity.
  site_sums room_for_norms() noexcept { return {site_re_.doubles().data(), nullptr}; }
  site_sums room_for_dots() noexcept { return {nullptr, site_im_.doubles().data()}; }
  /// This rank's part of what a kernel left there.
  site_sum left_norms(const lane_field& shape);
  site_sum left_dots(const lane_field& shape);

  /// Over all ranks.
  double total(const site_sum& sum);
  two_norms total(const site_sum& first, const site_sum& second);

  std::chrono::nanoseconds reduction_time() const noexcept { return reduction_time_; }
  std::chrono::nanoseconds vector_time() const noexcept { return vector_time_; }
  /// Stated count, all ranks: 2 per real for real axpy and norms, 4 for complex ones and dots.
  double flops() const noexcept { return flops_; }

 private:
  using kernel = void (*)(const field_job&);

  site_sum norm_sum(const lane_field& x);
  std::array<site_sum, 2> dot_sums(const lane_field& x, const lane_field& y);
  site_sum add_up(const double* terms, std::size_t count);
  void run(kernel function, field_job job, const lane_field& shape);
  void reduce(std::span<const site_sum> sums, std::span<double> results);
  /// `fields` are read or written.
  void count(double flops_per_real, double fields = 3);

  context ctx_;
  const kernel_table* kernels_;
  thread_team* team_;
  double global_reals_;  ///< of a field of one parity, all ranks
  aligned_memory site_re_, site_im_;
  std::vector<site_sum> partial_;  ///< by thread
  std::chrono::nanoseconds reduction_time_{0}, vector_time_{0};
  double flops_ = 0;
};

}  // namespace onehop
