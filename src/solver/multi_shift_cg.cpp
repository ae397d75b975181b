#include "solver/multi_shift_cg.hpp"

#include <algorithm>
#include <cmath>

namespace onehop {
namespace {

/// A shifted_recurrence has one shift's directions, and the ratio zeta of its residual to that of
/// the smallest shift.
struct shifted_recurrence {
  double shift;  ///< difference to the smallest shift
  halves p;
  double zeta = 1, last_zeta = 1;
  double x_factor = 0, p_factor = 0;  ///< alpha and beta of this shift
  bool going = true;

  /// Makes a step by Jegerlehner's eqs. 2.42 to 2.45, with alpha and beta of the smallest shift's
  /// last step and alpha of this one.
  void step(double last_alpha, double last_beta, double alpha) {
    const double next =
        zeta * last_zeta * last_alpha /
        (alpha * last_beta * (last_zeta - zeta) + last_zeta * last_alpha * (1 + shift * alpha));
    x_factor = alpha * next / zeta;
    last_zeta = zeta;
    zeta = next;
  }
  void turn(double beta) { p_factor = beta * (zeta / last_zeta) * (zeta / last_zeta); }
};

}  // namespace

krylov_results multi_shift_cg(normal_operator& a, const halves& b, std::span<const double> shifts,
                              std::vector<halves>& x, const shift_limits& limits) {
  const double smallest = *std::ranges::min_element(shifts);
  const auto base = static_cast<std::size_t>(std::ranges::min_element(shifts) - shifts.begin());
  halves r = a.copy_of(b), q = a.make_field();
  double rho = a.norm2(r);
  krylov_results results(shifts.size(), {0, std::sqrt(rho)});
  std::vector<shifted_recurrence> each;
  for (const double shift : shifts) each.push_back({shift - smallest, a.copy_of(b)});
  double alpha = 1, beta = 0;
  const auto note = [&](int iteration) {
    for (std::size_t k = 0; k < each.size(); ++k) {
      if (!each[k].going) continue;
      results[k] = {iteration, std::abs(each[k].zeta) * std::sqrt(rho)};
      require_finite(results[k].residual, "residual of multi-shift CG", iteration);
      each[k].going = results[k].residual > limits.target;
    }
  };
  note(0);
  // The residual of the smallest shift is the largest, so that it goes on as long as any.
  for (int iteration = 1; iteration <= limits.max_iterations && each[base].going; ++iteration) {
    const halves& p = each[base].p;
    a.apply(q, p, smallest);
    const double last_alpha = alpha;
    alpha = rho / a.dot(p, q);
    for (auto& s : each) s.step(last_alpha, beta, alpha);
    const double rho_next = a.residual_step(r, alpha, q);
    beta = rho_next / rho;
    rho = rho_next;
    for (std::size_t k = 0; k < each.size(); ++k) {
      shifted_recurrence& s = each[k];
      s.turn(beta);
      if (s.going) a.shifted_step(x[k], s.x_factor, s.p, s.zeta, r, s.p_factor);
    }
    note(iteration);
    if (limits.progress) limits.progress(iteration, results[base].residual);
  }
  return results;
}

}  // namespace onehop
