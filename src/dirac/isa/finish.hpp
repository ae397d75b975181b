#pragma once
/// This file finishes the sums of a hop: it scales them, adds the addend, and computes norms and
/// scalar products before they are stored.

#include "dirac/isa/block.hpp"
#include "dirac/isa/multiply_block.hpp"
#include "dirac/isa/simd.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {

namespace {

/// Multiplies one spinor by the factor of its site: a number, a twist, or 6x6 blocks of both
/// chiralities; `out` may be `in`.
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

template <int Components, class V>
ONEHOP_INLINE void leave_sums(const complex_simd<V>* out, const typename V::real* addend,
                              const site_sums& sums, std::ptrdiff_t block) {
  if (sums.norms != nullptr) {
    V norm = V::zero();
    for (int c = 0; c < Components; ++c) {
      norm = norm + out[c].re * out[c].re;
      norm = norm + out[c].im * out[c].im;
    }
    store_doubles(norm, sums.norms + block * V::lanes);
  }
  if (sums.dots != nullptr) {
    V dot = V::zero();
    for (int c = 0; c < Components; ++c) {
      const auto x = complex_simd<V>::load(addend + c * 2 * V::lanes);
      dot = dot + x.re * out[c].re;
      dot = dot + x.im * out[c].im;
    }
    store_doubles(dot, sums.dots + block * V::lanes);
  }
}

/// Does the work of `finish` if a factor is not a number. It is out of line and reads from memory,
/// so that operators without such factors keep their sums in registers.
template <class V>
[[gnu::noinline]] void finish_with_factors(typename V::real* hopped, const hop_job& job,
                                           std::ptrdiff_t vector, std::ptrdiff_t block) {
  constexpr int components = 12;
  alignas(64) typename V::real opened[components * 2 * V::lanes];
  alignas(64) typename V::real product[components * 2 * V::lanes];
  const typename V::real* addend = nullptr;
  if (job.addend != nullptr) {
    addend = open<V, components>(job.addend, job.fixed, block, opened);
    const site_factor number{job.addend_scale};
    const site_factor* factor = job.addend_factor != nullptr ? job.addend_factor : &number;
    multiply_site<V>(product, addend, *factor, job.fixed, vector);
  }
  const V hop_scale = V::broadcast(static_cast<typename V::real>(job.hop_scale));
  complex_simd<V> sum[components];
  for (int c = 0; c < components; ++c) {
    const auto value = complex_simd<V>::load(hopped + c * 2 * V::lanes);
    sum[c] = {hop_scale * value.re, hop_scale * value.im};
    if (addend == nullptr) continue;
    const auto added = complex_simd<V>::load(product + c * 2 * V::lanes);
    sum[c] = {sum[c].re + added.re, sum[c].im + added.im};
  }
  if (job.result_factor != nullptr) {
    for (int c = 0; c < components; ++c) sum[c].store(hopped + c * 2 * V::lanes);
    multiply_site<V>(hopped, hopped, *job.result_factor, job.fixed, vector);
    for (int c = 0; c < components; ++c) {
      sum[c] = complex_simd<V>::load(hopped + c * 2 * V::lanes);
    }
  }
  leave_sums<components>(sum, addend, job.sums, block);
  close<V, components>(job.out, job.fixed, job.streaming, block, sum);
}

template <int Components, class V>
ONEHOP_INLINE void finish(complex_simd<V>* sum, const hop_job& job, std::ptrdiff_t vector,
                          std::ptrdiff_t block) {
  if constexpr (Components == 12) {
    if (job.addend_factor != nullptr || job.result_factor != nullptr) {
      alignas(64) typename V::real hopped[Components * 2 * V::lanes];
      for (int c = 0; c < Components; ++c) sum[c].store(hopped + c * 2 * V::lanes);
      finish_with_factors<V>(hopped, job, vector, block);
      return;
    }
  }
  alignas(64) typename V::real opened[Components * 2 * V::lanes];
  const V hop_scale = V::broadcast(static_cast<typename V::real>(job.hop_scale));
  for (int c = 0; c < Components; ++c) sum[c] = {hop_scale * sum[c].re, hop_scale * sum[c].im};
  const typename V::real* addend = nullptr;
  if (job.addend != nullptr) {
    const V addend_scale = V::broadcast(static_cast<typename V::real>(job.addend_scale));
    addend = open<V, Components>(job.addend, job.fixed, block, opened);
    for (int c = 0; c < Components; ++c) {
      const auto value = complex_simd<V>::load(addend + c * 2 * V::lanes);
      sum[c] = {sum[c].re + addend_scale * value.re, sum[c].im + addend_scale * value.im};
    }
  }
  leave_sums<Components>(sum, addend, job.sums, block);
  close<V, Components>(job.out, job.fixed, job.streaming, block, sum);
}

}  // namespace

}  // namespace onehop
