#pragma once
/// Staggered hopping term. Its phases and the minus sign of the backward hops are in the links.

#include "dirac/isa/hop.hpp"

namespace onehop {
namespace {

template <int Direction>
struct staggered_site {
  static constexpr int components = 3;
  static constexpr int face_components = 3;

  template <class V>
  ONEHOP_INLINE static void project(complex_simd<V>* face, const typename V::real* chi) {
    for (int c = 0; c < 3; ++c) face[c] = complex_simd<V>::load(chi + c * 2 * V::lanes);
  }

  template <class V>
  ONEHOP_INLINE static void accumulate(complex_simd<V>* sum, const complex_simd<V>* face) {
    for (int c = 0; c < 3; ++c) sum[c] = add_phase<phase::one>(sum[c], face[c]);
  }
};

}  // namespace
}  // namespace onehop
