#pragma once
/// lanes are vectors of numbers as the compiler has them, down to one lane.
///
/// ONEHOP_APP_ISA names the instruction set that this is built for.

#include <cstring>

// Code built with other instruction sets must not be taken for this, so that each has a namespace
// of its own.
namespace app_common::ONEHOP_APP_ISA {
namespace {

template <class Real, int W>
struct vector_of {
  using type __attribute__((vector_size(W * sizeof(Real)))) = Real;
};
template <class Real>
struct vector_of<Real, 1> {
  using type = Real;
};
template <class Real, int W>
using lanes = typename vector_of<Real, W>::type;

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
/// This is the number of lanes of the widest vector.
template <class Real>
constexpr int widest = vector_bytes / static_cast<int>(sizeof(Real));

template <class Real, int W>
lanes<Real, W> load(const Real* from) {
  lanes<Real, W> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class Real, int W>
void store(Real* to, const lanes<Real, W>& value) {
  std::memcpy(to, &value, sizeof value);
}
template <class Real, int W>
lanes<Real, W> all_lanes(Real value) {
  return value - lanes<Real, W>{};
}

}  // namespace
}  // namespace app_common::ONEHOP_APP_ISA
