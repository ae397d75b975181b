#pragma once
/// one_lane is one real with the interface of simd, for kernels that run one site per thread.

#include "device/inline.hpp"

namespace onehop {
namespace {

template <class Real>
struct one_lane {
  static constexpr int lanes = 1;
  using real = Real;

  Real v;

  ONEHOP_INLINE static one_lane zero() { return {Real(0)}; }
  ONEHOP_INLINE static one_lane broadcast(Real x) { return {x}; }
  ONEHOP_INLINE static one_lane load(const Real* p) { return {*p}; }
  ONEHOP_INLINE void store(Real* p) const { *p = v; }
};

template <class Real>
ONEHOP_INLINE one_lane<Real> operator+(one_lane<Real> a, one_lane<Real> b) {
  return {a.v + b.v};
}
template <class Real>
ONEHOP_INLINE one_lane<Real> operator-(one_lane<Real> a, one_lane<Real> b) {
  return {a.v - b.v};
}
template <class Real>
ONEHOP_INLINE one_lane<Real> operator*(one_lane<Real> a, one_lane<Real> b) {
  return {a.v * b.v};
}
template <class Real>
ONEHOP_INLINE one_lane<Real> operator/(one_lane<Real> a, one_lane<Real> b) {
  return {a.v / b.v};
}
template <class Real>
ONEHOP_INLINE one_lane<Real> larger(one_lane<Real> a, one_lane<Real> b) {
  return {a.v > b.v ? a.v : b.v};
}
}  // namespace
}  // namespace onehop
