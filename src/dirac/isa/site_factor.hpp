#pragma once
/// Spinors are multiplied here by the factor of their site: a number, a twist, 6x6 blocks of both
/// chiralities.

#include "dirac/isa/block.hpp"
#include "dirac/isa/multiply_block.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// Multiplies one spinor; `out` may be `in`.
template <class V>
[[gnu::noinline]] void multiply_site(typename V::real* out, const typename V::real* in,
                                     const site_factor& factor, bool fixed, std::ptrdiff_t vector) {
  using real = typename V::real;
  constexpr int components = 2 * chiral_components;
  const V twist = V::broadcast(static_cast<real>(factor.twist));
  complex_simd<V> spinor[components];
  for (int c = 0; c < components; ++c) {
    spinor[c] = complex_simd<V>::load(in + c * 2 * V::lanes);
  }
  complex_simd<V> product[components];
  if (factor.blocks == nullptr) {
    const V scale = V::broadcast(static_cast<real>(factor.scale));
    // In this basis gamma_5 exchanges upper and lower spins.
    for (int first : {0, chiral_components}) {
      multiply_number(product + first, spinor + first, scale);
      add_twisted(product + first, spinor + chiral_components - first, twist);
    }
    for (int c = 0; c < components; ++c) product[c].store(out + c * 2 * V::lanes);
    return;
  }
  alignas(64) real opened[general_numbers * 2 * V::lanes];
  turn_to_chiralities(spinor);
  for (int chirality = 0; chirality < 2; ++chirality) {
    const std::ptrdiff_t number = 2 * vector + chirality;
    const complex_simd<V>* x = spinor + chirality * chiral_components;
    complex_simd<V>* y = product + chirality * chiral_components;
    if (factor.general) {
      multiply_general(y, x, open<V, general_numbers>(factor.blocks, fixed, number, opened),
                       factor.adjoint);
    } else {
      multiply_hermitian(y, x, open<V, hermitian_numbers>(factor.blocks, fixed, number, opened));
    }
    add_twisted(y, x, chirality == 0 ? twist : V::zero() - twist);
  }
  turn_to_chiralities(product);
  const V half = V::broadcast(0.5);
  for (int c = 0; c < components; ++c) {
    complex_simd<V>{half * product[c].re, half * product[c].im}.store(out + c * 2 * V::lanes);
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
