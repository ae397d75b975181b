#pragma once
/// Linear algebra on whole fields, and the per-site numbers that sums over the lattice start from.

#include "dirac/isa/simd.hpp"

#include <cstddef>

namespace onehop {
namespace {

inline void axpy(double* y, double a, const double* x, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) y[k] += a * x[k];
}

inline void xpay(double* y, double a, const double* x, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) y[k] = x[k] + a * y[k];
}

template <class V>
void complex_axpy(double* y, double a_re, double a_im, const double* x, std::size_t count) {
  const complex_simd<V> a{V::broadcast(a_re), V::broadcast(a_im)};
  for (std::size_t k = 0; k < count; ++k, x += 2 * V::lanes, y += 2 * V::lanes) {
    multiply_add(complex_simd<V>::load(y), a, complex_simd<V>::load(x)).store(y);
  }
}

template <class V>
void complex_xpay(double* y, double a_re, double a_im, const double* x, std::size_t count) {
  const complex_simd<V> a{V::broadcast(a_re), V::broadcast(a_im)};
  for (std::size_t k = 0; k < count; ++k, x += 2 * V::lanes, y += 2 * V::lanes) {
    multiply_add(complex_simd<V>::load(x), a, complex_simd<V>::load(y)).store(y);
  }
}

template <class V>
void site_norms(double* norms, const double* x, std::size_t vectors, int components) {
  for (std::size_t k = 0; k < vectors; ++k, norms += V::lanes) {
    V sum = V::zero();
    for (int c = 0; c < components; ++c, x += 2 * V::lanes) {
      const auto value = complex_simd<V>::load(x);
      sum = sum + value.re * value.re;
      sum = sum + value.im * value.im;
    }
    sum.store(norms);
  }
}

template <class V>
void site_dots(double* re, double* im, const double* x, const double* y, std::size_t vectors,
               int components) {
  for (std::size_t k = 0; k < vectors; ++k, re += V::lanes, im += V::lanes) {
    auto sum = complex_simd<V>::zero();
    for (int c = 0; c < components; ++c, x += 2 * V::lanes, y += 2 * V::lanes) {
      const auto a = complex_simd<V>::load(x);
      sum = multiply_add(sum, complex_simd<V>{a.re, V::zero() - a.im}, complex_simd<V>::load(y));
    }
    sum.re.store(re);
    sum.im.store(im);
  }
}

}  // namespace
}  // namespace onehop
