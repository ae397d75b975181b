#pragma once
/// A residual_check measures how well a solution solves the system, by the reference operator.

#include "dirac/hop_links.hpp"
#include "machine/thread_team.hpp"
#include "reference/dirac_operator.hpp"

#include <onehop/solver_options.hpp>

#include <complex>
#include <span>
#include <variant>
#include <vector>

namespace onehop {

class residual_check {
 public:
  /// The `team` must outlive the check.
  residual_check(const hop_links& links, const solve_options& options, thread_team& team);

  /// Returns |b - (M + more_mass) x| / |b| of canonical fields, or its numerator if b is zero.
  /// Collective.
  double residual(std::span<const std::complex<double>> b, std::span<const std::complex<double>> x,
                  double more_mass = 0);
  /// Returns the residual of M^+ M + shift. Collective.
  double shifted_residual(std::span<const std::complex<double>> b,
                          std::span<const std::complex<double>> x, double shift);

 private:
  /// Returns the distance of b from image_ + factor x.
  double distance(std::span<const std::complex<double>> b, double factor,
                  std::span<const std::complex<double>> x);

  onehop::context ctx_;
  thread_team& team_;
  std::variant<reference::wilson, reference::clover, reference::staggered,
               reference::improved_staggered>
      operator_;
  std::vector<std::complex<double>> image_, between_;
};

}  // namespace onehop
