#pragma once
/// A staggered_site is what a staggered hop takes from a neighbour. The phases eta are in the
/// links.

#include "dirac/isa/complex_simd.hpp"

namespace onehop {
namespace {

template <int Direction>
struct staggered_site {
  static constexpr int components = 3;
  static constexpr int face_components = 3;
  static constexpr int first_fetched = 0;
  static constexpr int fetched = face_components;

  template <class V, class Chi>
  ONEHOP_INLINE static void project(complex_simd<V>* face, const Chi& chi) {
    for (int c = 0; c < 3; ++c) face[c] = chi(c);
  }

  /// Accumulates for kernels that sum a row over all directions. `First` sets the sum.
  template <bool First, class V>
  ONEHOP_INLINE static void accumulate(complex_simd<V>* sum, const complex_simd<V>* face, int row) {
    constexpr phase sign = Direction < 4 ? phase::one : phase::minus_one;
    sum[row] = First ? times_phase<sign>(face[0]) : add_phase<sign>(sum[row], face[0]);
  }
};

}  // namespace
}  // namespace onehop
