#include "solver/krylov_batch.hpp"

#include <algorithm>
#include <cmath>

namespace onehop {
namespace {

/// second_half holds what the second half of an iteration computes for one right-hand side from the
/// sums left by half_step, S r and two_dots.
struct second_half {
  std::complex<double> omega, rho;
  double norm2;

  second_half(const std::vector<rhs_values>& sums, int k) {
    const std::complex<double> r0_s(sums[2][k], sums[3][k]);
    const std::complex<double> t_s(sums[4][k], sums[5][k]);
    const std::complex<double> r0_t(sums[6][k], sums[7][k]);
    const double t_t = sums[0][k];
    omega = t_t == 0.0 ? 0.0 : t_s / t_t;
    rho = r0_s - omega * r0_t;
    // This is |s - omega t|^2; rounding may make it negative if omega removes nearly everything.
    norm2 = sums[1][k] - std::norm(omega) * t_t;
    if (norm2 < 0) norm2 = 0;
  }
};

}  // namespace

krylov_results bicgstab(even_odd_operator& op, field_algebra& algebra, lane_field& x, lane_field& r,
                        const krylov_limits& limits) {
  const auto make = [&] { return op.make_scratch(r.parity(), r.rhs()); };
  lane_field r0 = make(), p = make(), v = make(), t = make();
  r0.copy_from(r, op.team());
  p.copy_from(r, op.team());
  rhs_values norms2 = algebra.norms(r);
  complex_values rho(norms2.begin(), norms2.end());
  rhs_values r0_norm(norms2.size());
  std::ranges::transform(norms2, r0_norm.begin(), [](double n) { return std::sqrt(n); });
  krylov_batch batch(op.layout(), x, limits, norms2);
  while (true) {
    if (const auto staying = batch.retire({&r, &r0, &p, &v, &t})) {
      rho = picked(rho, *staying);
      r0_norm = picked(r0_norm, *staying);
    }
    if (batch.empty()) return batch.results();
    const std::size_t count = rho.size();
    op.schur(v, p);
    complex_values alpha = algebra.dots(r0, v);
    for (std::size_t k = 0; k < count; ++k) alpha[k] = rho[k] / alpha[k];
    algebra.half_step(r, alpha, v, r0, 1);
    op.schur(t, r, false, algebra.workspace_for_norms());
    algebra.two_dots(t, r, r0, 4);
    const auto sums = algebra.left(8, r);
    complex_values omega(count), beta(count);
    norms2.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      const second_half found(sums, static_cast<int>(k));
      omega[k] = found.omega;
      norms2[k] = found.norm2;
      const bool ends = found.omega == 0.0;
      beta[k] = ends ? 0.0 : found.rho / rho[k] * (alpha[k] / found.omega);
      rho[k] = found.rho;
    }
    algebra.stabilised_step(batch.x(), alpha, p, omega, r, t, beta, v);
    const std::vector<int> due = batch.due(norms2);
    if (!due.empty()) {
      batch.update(due, r, norms2);
      const complex_values anew = algebra.dots(r0, r);
      for (std::size_t k = 0; k < due.size(); ++k) rho[due[k]] = anew[due[k]];
    }
    batch.note(norms2, "residual of BiCGStab");
    int k = 0;
    for (const double norm2 : norms2) {
      const bool has_lost = has_lost_all_digits(std::abs(rho[k]), r0_norm[k], std::sqrt(norm2));
      if (omega[k] == 0.0 || has_lost) batch.give_up(k);
      ++k;
    }
  }
}

}  // namespace onehop
