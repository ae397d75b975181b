#pragma once
/// How well a solution solves, by the reference operator.

#include "dirac/hop_links.hpp"
#include "reference/dirac_operator.hpp"

#include <onehop/propagator.hpp>

#include <complex>
#include <span>
#include <variant>

namespace onehop {

class judge {
 public:
  judge(const hop_links& links, const solve_options& options);

  /// |b - (M + more_mass) x| / |b| of canonical fields; its numerator where b is zero. Collective.
  double residual(std::span<const std::complex<double>> b, std::span<const std::complex<double>> x,
                  double more_mass = 0);
  /// The same with M^+ M + shift.
  double shifted_residual(std::span<const std::complex<double>> b,
                          std::span<const std::complex<double>> x, double shift);

 private:
  /// Of `image` + factor x.
  double distance(std::span<const std::complex<double>> b,
                  std::span<const std::complex<double>> image, double factor,
                  std::span<const std::complex<double>> x);

  onehop::context ctx_;
  std::variant<reference::wilson, reference::clover, reference::staggered,
               reference::improved_staggered>
      operator_;
};

}  // namespace onehop
