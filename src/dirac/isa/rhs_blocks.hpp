#pragma once
/// These kernels do linear algebra among the right-hand sides of fields: products with small
/// matrices, and the inner products that form such matrices.

#include "dirac/isa/algebra.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// rhs_blocks says where the right-hand sides of one vector of sites lie.
template <class V>
struct rhs_blocks {
  using real = typename V::real;
  const real* first;
  std::size_t size;  ///< reals in a block

  rhs_blocks(const std::byte* field, std::size_t vector, int rhs, int components)
      : first(reinterpret_cast<const real*>(field)),
        size(static_cast<std::size_t>(2 * components) * V::lanes) {
    if (first != nullptr) first += vector * rhs * size;
  }
  ONEHOP_INLINE complex_simd<V> number(int n, int component) const {
    return complex_simd<V>::load(first + n * size + component * 2 * V::lanes);
  }
};

/// Computes right-hand sides j to j + Outs - 1 of the result, at one vector of sites; `matrix` is
/// [in][out].
template <class V, int Outs>
ONEHOP_INLINE void mix_some(const mix_job& job, const typename V::real* matrix, int j,
                            rhs_blocks<V> in, rhs_blocks<V> addend, typename V::real* out) {
  using real = typename V::real;
  for (int c = 0; c < job.components; ++c) {
    complex_simd<V> sum[Outs];
    for (int k = 0; k < Outs; ++k) {
      sum[k] = addend.first == nullptr ? complex_simd<V>::zero() : addend.number(j + k, c);
    }
    for (int i = 0; i < job.in_rhs; ++i) {
      const auto x = in.number(i, c);
      for (int k = 0; k < Outs; ++k) {
        const real* factor = matrix + 2 * (i * job.out_rhs + j + k);
        sum[k] = multiply_add<V>(sum[k], {V::broadcast(factor[0]), V::broadcast(factor[1])}, x);
      }
    }
    for (int k = 0; k < Outs; ++k) {
      sum[k].store(out + (j + k) * in.size + static_cast<std::size_t>(c) * 2 * V::lanes);
    }
  }
}

/// Works on one vector of sites at a time, so that the result may overwrite its input.
template <class V>
void mix_rhs(const mix_job& job) {
  using real = typename V::real;
  real matrix[2 * most_mixed_rhs * most_mixed_rhs];
  for (int k = 0; k < 2 * job.in_rhs * job.out_rhs; ++k) {
    matrix[k] = static_cast<real>(job.matrix[k]);
  }
  alignas(64) real kept[most_mixed_rhs * 2 * most_components * V::lanes];
  const bool in_place = job.out == job.in;
  for (std::size_t vector = 0; vector < job.vectors; ++vector) {
    const rhs_blocks<V> in(job.in, vector, job.in_rhs, job.components);
    const rhs_blocks<V> addend(job.addend, vector, job.out_rhs, job.components);
    real* to = reinterpret_cast<real*>(job.out) + vector * job.out_rhs * in.size;
    real* out = in_place ? kept : to;
    int j = 0;
    for (; j + 4 <= job.out_rhs; j += 4) mix_some<V, 4>(job, matrix, j, in, addend, out);
    for (; j + 2 <= job.out_rhs; j += 2) mix_some<V, 2>(job, matrix, j, in, addend, out);
    for (; j < job.out_rhs; ++j) mix_some<V, 1>(job, matrix, j, in, addend, out);
    if (!in_place) continue;
    for (std::size_t k = 0; k < job.out_rhs * in.size; k += V::lanes) {
      V::load(kept + k).store(to + k);
    }
  }
}

/// Computes inner products of Lefts right-hand sides from i on with Rights from j on, at one vector
/// of sites.
template <class V, int Lefts, int Rights>
ONEHOP_INLINE void some_dots(const rhs_dots_job& job, std::size_t vector, int i, int j,
                             rhs_blocks<V> left, rhs_blocks<V> right) {
  complex_simd<V> sum[Lefts][Rights];
  for (auto& row : sum) {
    for (auto& each : row) each = complex_simd<V>::zero();
  }
  for (int c = 0; c < job.components; ++c) {
    complex_simd<V> x[Lefts], y[Rights];
    for (int k = 0; k < Lefts; ++k) x[k] = left.number(i + k, c);
    for (int l = 0; l < Rights; ++l) y[l] = right.number(j + l, c);
    for (int k = 0; k < Lefts; ++k) {
      for (int l = 0; l < Rights; ++l) {
        sum[k][l] = conjugate_multiply_add<V>(sum[k][l], x[k], y[l]);
      }
    }
  }
  for (int k = 0; k < Lefts; ++k) {
    for (int l = 0; l < Rights; ++l) {
      const std::size_t pair = static_cast<std::size_t>(i + k) * job.right_rhs + j + l;
      double* terms = job.terms + 2 * pair * job.step + vector * V::lanes;
      store_doubles(sum[k][l].re, terms);
      store_doubles(sum[k][l].im, terms + job.step);
    }
  }
}

template <class V, int Lefts>
ONEHOP_INLINE void dots_of(const rhs_dots_job& job, std::size_t vector, int i, rhs_blocks<V> left,
                           rhs_blocks<V> right) {
  int j = job.hermitian ? i : 0;
  for (; j + 2 <= job.right_rhs; j += 2) some_dots<V, Lefts, 2>(job, vector, i, j, left, right);
  if (j < job.right_rhs) some_dots<V, Lefts, 1>(job, vector, i, j, left, right);
}

template <class V>
void rhs_dots(const rhs_dots_job& job) {
  for (std::size_t vector = 0; vector < job.vectors; ++vector) {
    const rhs_blocks<V> left(job.left, vector, job.left_rhs, job.components);
    const rhs_blocks<V> right(job.right, vector, job.right_rhs, job.components);
    int i = 0;
    for (; i + 2 <= job.left_rhs; i += 2) dots_of<V, 2>(job, vector, i, left, right);
    if (i < job.left_rhs) dots_of<V, 1>(job, vector, i, left, right);
  }
}

}  // namespace
}  // namespace onehop
