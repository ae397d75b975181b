#pragma once
/// Spinors times what stands at their sites: a number, a twist, 6x6 blocks of both chiralities.

#include "dirac/isa/block.hpp"
#include "dirac/isa/multiply_block.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

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
      multiply_number(y, x, scale);
    } else if (factor.general) {
      multiply_general(y, x, open<V, general_numbers>(factor.blocks, fixed, number, opened),
                       factor.adjoint);
    } else {
      multiply_hermitian(y, x, open<V, hermitian_numbers>(factor.blocks, fixed, number, opened));
    }
    const double gamma5 = chirality == 0 ? 1 : -1;
    add_twisted(y, x, V::broadcast(static_cast<real>(gamma5 * factor.twist)));
    for (int c = 0; c < chiral_components; ++c) y[c].store(out + first + c * 2 * V::lanes);
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
