#pragma once
/// These kernels do linear algebra on whole fields, one site of one right-hand side per thread.

#include "dirac/device/row.hpp"
#include "lattice/spin_basis.hpp"

namespace onehop::device {
namespace {

/// Sets y = a x + b y at a site and returns |y|^2 of the new y.
template <class Stored, int Reals>
ONEHOP_INLINE double combine_rows(const field_view& y, double b, double a, const field_view& x,
                                  std::int32_t site, std::int32_t n) {
  using real = arithmetic<Stored>;
  real from[Reals], to[Reals];
  open_row<Stored, Reals>(from, x, site, n);
  open_row<Stored, Reals>(to, y, site, n);
  real norm = 0;
  ONEHOP_UNROLL
  for (int k = 0; k < Reals; ++k) {
    to[k] = static_cast<real>(a) * from[k] + static_cast<real>(b) * to[k];
    norm += to[k] * to[k];
  }
  close_row<Stored, Reals>(to, y, site, n);
  return static_cast<double>(norm);
}

/// Sets y = a x + b y.
template <class Stored, int Reals>
struct combine {
  field_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t site, std::int32_t n) const {
    if (is_idle(job.active, n)) return {0, 0};
    combine_rows<Stored, Reals>(job.y, job.b(n), job.a(n), job.x, site, n);
    return {0, 0};
  }
};

/// Sets y += a x and z -= a w, and sums |z|^2.
template <class Stored, int Reals>
struct cg_update {
  field_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t site, std::int32_t n) const {
    if (is_idle(job.active, n)) return {0, 0};
    const double a = job.a(n);
    combine_rows<Stored, Reals>(job.y, 1, a, job.x, site, n);
    return {combine_rows<Stored, Reals>(job.z, 1, -a, job.w, site, n), 0};
  }
};

/// Sums |x|^2 and, if w is given, Re <x, w>.
template <class Stored, int Reals>
struct norm_and_dot {
  field_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t site, std::int32_t n) const {
    if (is_idle(job.active, n)) return {0, 0};
    using real = arithmetic<Stored>;
    real x[Reals];
    open_row<Stored, Reals>(x, job.x, site, n);
    real norm = 0;
    real dot = 0;
    ONEHOP_UNROLL
    for (int k = 0; k < Reals; ++k) norm += x[k] * x[k];
    if (job.w.rows != nullptr) {
      real w[Reals];
      open_row<Stored, Reals>(w, job.w, site, n);
      ONEHOP_UNROLL
      for (int k = 0; k < Reals; ++k) dot += x[k] * w[k];
    }
    return {static_cast<double>(norm), static_cast<double>(dot)};
  }
};

template <class Stored, class From, int Reals>
struct convert {
  convert_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t site, std::int32_t n) const {
    if (is_idle(job.active, n)) return {0, 0};
    arithmetic<From> from[Reals];
    arithmetic<Stored> to[Reals];
    open_row<From, Reals>(from, job.from, site, n);
    ONEHOP_UNROLL
    for (int k = 0; k < Reals; ++k) to[k] = static_cast<arithmetic<Stored>>(from[k]);
    close_row<Stored, Reals>(to, job.to, site, n);
    return {0, 0};
  }
};

ONEHOP_INLINE double* canonical_row(const canonical_job& job, std::int32_t site, int reals) {
  const site_place c = job.map.place(site, job.parity);
  const std::int32_t* extent = job.map.extent;
  const std::int64_t index =
      ((std::int64_t{c.at[3]} * extent[2] + c.at[2]) * extent[1] + c.at[1]) * extent[0] + c.at[0];
  return job.canonical + index * reals;
}

template <class Stored, int Reals>
struct spread {
  canonical_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t site, std::int32_t n) const {
    const double* from = canonical_row(job, site, Reals);
    double turned[Reals];
    ONEHOP_UNROLL
    for (int k = 0; k < Reals; ++k) turned[k] = from[k];
    if constexpr (Reals == 2 * spinor_components) turn_spin_basis(turned);
    arithmetic<Stored> row[Reals];
    ONEHOP_UNROLL
    for (int k = 0; k < Reals; ++k) row[k] = static_cast<arithmetic<Stored>>(turned[k]);
    close_row<Stored, Reals>(row, job.field, site, n);
    return {0, 0};
  }
};

template <class Stored, int Reals>
struct collect {
  canonical_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t site, std::int32_t n) const {
    double* to = canonical_row(job, site, Reals);
    arithmetic<Stored> row[Reals];
    open_row<Stored, Reals>(row, job.field, site, n);
    double turned[Reals];
    ONEHOP_UNROLL
    for (int k = 0; k < Reals; ++k) turned[k] = static_cast<double>(row[k]);
    if constexpr (Reals == 2 * spinor_components) turn_spin_basis(turned);
    ONEHOP_UNROLL
    for (int k = 0; k < Reals; ++k) to[k] = turned[k];
    return {0, 0};
  }
};

}  // namespace
}  // namespace onehop::device
