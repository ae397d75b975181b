#pragma once
/// These kernels do BiCGStab's steps on whole fields, one site of one right-hand side per thread.

#include "dirac/device/bicgstab_state.hpp"
#include "dirac/device/row.hpp"

namespace onehop::device {
namespace {

/// Adds to += a from for a complex a.
template <class Real>
ONEHOP_INLINE void add_multiple(Real* to, two_sums a, const Real* from) {
  const Real re = static_cast<Real>(a.first);
  const Real im = static_cast<Real>(a.second);
  ONEHOP_UNROLL
  for (int c = 0; c < 12; ++c) {
    to[2 * c] += re * from[2 * c] - im * from[2 * c + 1];
    to[2 * c + 1] += re * from[2 * c + 1] + im * from[2 * c];
  }
}

/// Returns <x, w>.
template <class Real>
ONEHOP_INLINE two_sums dot_of_rows(const Real* x, const Real* w) {
  Real re = 0;
  Real im = 0;
  ONEHOP_UNROLL
  for (int c = 0; c < 12; ++c) {
    re += x[2 * c] * w[2 * c] + x[2 * c + 1] * w[2 * c + 1];
    im += x[2 * c] * w[2 * c + 1] - x[2 * c + 1] * w[2 * c];
  }
  return {static_cast<double>(re), static_cast<double>(im)};
}

ONEHOP_INLINE two_sums minus(two_sums a) { return {-a.first, -a.second}; }

/// Sums <x, w> of fields of 12 components.
template <class Stored>
struct complex_dot {
  field_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t site, std::int32_t n) const {
    if (is_idle(job.active, n)) return {0, 0};
    arithmetic<Stored> x[24], w[24];
    open_row<Stored, 24>(x, job.x, site, n);
    open_row<Stored, 24>(w, job.w, site, n);
    return dot_of_rows(x, w);
  }
};

/// Sets r -= alpha v, and sums <r0, r>.
template <class Stored>
struct bicgstab_half {
  bicgstab_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t site, std::int32_t n) const {
    const bicgstab_state& s = job.states[n];
    if (s.active == 0) return {0, 0};
    arithmetic<Stored> r[24], other[24];
    open_row<Stored, 24>(r, job.r, site, n);
    open_row<Stored, 24>(other, job.v, site, n);
    add_multiple(r, minus(s.alpha), other);
    close_row<Stored, 24>(r, job.r, site, n);
    open_row<Stored, 24>(other, job.r0, site, n);
    return dot_of_rows(other, r);
  }
};

/// Sets x += alpha p + omega r, r -= omega t, p = r + beta (p - omega v), and sums |r|^2.
template <class Stored>
struct bicgstab_step {
  bicgstab_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t site, std::int32_t n) const {
    using real = arithmetic<Stored>;
    const bicgstab_state& s = job.states[n];
    if (s.active == 0) return {0, 0};
    real p[24], r[24], other[24];
    open_row<Stored, 24>(p, job.p, site, n);
    open_row<Stored, 24>(r, job.r, site, n);
    open_row<Stored, 24>(other, job.x, site, n);
    add_multiple(other, s.alpha, p);
    add_multiple(other, s.omega, r);
    close_row<Stored, 24>(other, job.x, site, n);
    open_row<Stored, 24>(other, job.t, site, n);
    add_multiple(r, minus(s.omega), other);
    close_row<Stored, 24>(r, job.r, site, n);
    open_row<Stored, 24>(other, job.v, site, n);
    add_multiple(p, minus(s.omega), other);
    real norm = 0;
    ONEHOP_UNROLL
    for (int k = 0; k < 24; ++k) {
      norm += r[k] * r[k];
      other[k] = r[k];
    }
    add_multiple(other, s.beta, p);
    close_row<Stored, 24>(other, job.p, site, n);
    return {static_cast<double>(norm), 0};
  }
};

}  // namespace
}  // namespace onehop::device
