#pragma once
/// Spinors times what stands at their sites: a number, a twist, 6x6 blocks of both chiralities.

#include "dirac/isa/block.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

constexpr int chiral_components = 6;

/// Diagonal first, then each entry below it together with its mirror image.
template <class V>
ONEHOP_INLINE void multiply_hermitian(complex_simd<V>* y, const complex_simd<V>* x,
                                      const typename V::real* block) {
#pragma GCC unroll 6
  for (int i = 0; i < chiral_components; ++i) {
    const V diagonal = V::load(block + i * V::lanes);
    y[i] = {diagonal * x[i].re, diagonal * x[i].im};
  }
  const typename V::real* entry = block + chiral_components * V::lanes;
#pragma GCC unroll 6
  for (int i = 1; i < chiral_components; ++i) {
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j, entry += 2 * V::lanes) {
      const auto a = complex_simd<V>::load(entry);
      y[i] = multiply_add(y[i], a, x[j]);
      y[j] = conjugate_multiply_add(y[j], a, x[i]);
    }
  }
}

template <class V>
ONEHOP_INLINE void multiply_general(complex_simd<V>* y, const complex_simd<V>* x,
                                    const typename V::real* block, bool adjoint) {
  const auto at = [block](int i, int j) {
    return complex_simd<V>::load(block + (chiral_components * i + j) * 2 * V::lanes);
  };
#pragma GCC unroll 6
  for (int i = 0; i < chiral_components; ++i) {
    y[i] = complex_simd<V>::zero();
#pragma GCC unroll 6
    for (int j = 0; j < chiral_components; ++j) {
      y[i] = adjoint ? conjugate_multiply_add(y[i], at(j, i), x[j])
                     : multiply_add(y[i], at(i, j), x[j]);
    }
  }
}

/// One spinor; `out` may be `in`.
template <class V>
[[gnu::noinline]] void multiply_site(typename V::real* out, const typename V::real* in,
                                     const site_factor& factor, bool fixed, std::ptrdiff_t vector) {
  using real = typename V::real;
  alignas(64) real opened[general_numbers * 2 * V::lanes];
  const V scale = V::broadcast(static_cast<real>(factor.scale));
  for (int chirality = 0; chirality < 2; ++chirality) {
    const int first = chirality * chiral_components * 2 * V::lanes;
    const std::ptrdiff_t number = 2 * vector + chirality;
    complex_simd<V> x[chiral_components], y[chiral_components];
    for (int c = 0; c < chiral_components; ++c) {
      x[c] = complex_simd<V>::load(in + first + c * 2 * V::lanes);
    }
    if (factor.blocks == nullptr) {
      for (int c = 0; c < chiral_components; ++c) y[c] = {scale * x[c].re, scale * x[c].im};
    } else if (factor.general) {
      multiply_general(y, x, open<V, general_numbers>(factor.blocks, fixed, number, opened),
                       factor.adjoint);
    } else {
      multiply_hermitian(y, x, open<V, hermitian_numbers>(factor.blocks, fixed, number, opened));
    }
    const double gamma5 = chirality == 0 ? 1 : -1;
    const V twist = V::broadcast(static_cast<real>(gamma5 * factor.twist));
    for (int c = 0; c < chiral_components; ++c) {
      const complex_simd<V> twisted{y[c].re - twist * x[c].im, y[c].im + twist * x[c].re};
      twisted.store(out + first + c * 2 * V::lanes);
    }
  }
}

template <class V>
void multiply_sites(const site_job& job) {
  constexpr int components = 2 * chiral_components;
  alignas(64) typename V::real opened[components * 2 * V::lanes];
  alignas(64) typename V::real product[components * 2 * V::lanes];
  for (std::ptrdiff_t vector = job.first; vector < job.last; ++vector) {
    for (int rhs = 0; rhs < job.rhs; ++rhs) {
      const std::ptrdiff_t block = vector * job.rhs + rhs;
      multiply_site<V>(product, open<V, components>(job.in, job.fixed, block, opened), job.factor,
                       job.fixed, vector);
      complex_simd<V> values[components];
      for (int c = 0; c < components; ++c) {
        values[c] = complex_simd<V>::load(product + c * 2 * V::lanes);
      }
      close<V, components>(job.out, job.fixed, false, block, values);
    }
  }
}

}  // namespace
}  // namespace onehop
