// Built once per instruction set, with ONEHOP_ISA_NAME naming it and the compiler told to use it.
// Includes nothing that could leave an inline function of this instruction set to other code.

#include "dirac/isa/algebra.hpp"
#include "dirac/isa/staggered.hpp"
#include "dirac/isa/tables.hpp"
#include "dirac/isa/wilson.hpp"

#define ONEHOP_STRING_OF(x) #x
#define ONEHOP_STRING(x) ONEHOP_STRING_OF(x)

namespace onehop {
namespace {

#if defined(__AVX512F__)
constexpr int widest_lanes = 8;
#elif defined(__AVX2__)
constexpr int widest_lanes = 4;
#else
constexpr int widest_lanes = 2;
#endif

template <int Lanes>
constexpr kernel_table make_table() {
  using v = simd<double, Lanes>;
  return {
      ONEHOP_STRING(ONEHOP_ISA_NAME),
      Lanes,
      [](const hop_job& job, bool dagger) {
        dagger ? hop<wilson_dagger, v>(job) : hop<wilson_plain, v>(job);
      },
      [](const pack_job& job, bool dagger) {
        dagger ? pack<wilson_dagger, v>(job) : pack<wilson_plain, v>(job);
      },
      hop<staggered_site, v>,
      pack<staggered_site, v>,
      axpy,
      xpay,
      complex_axpy<v>,
      complex_xpay<v>,
      site_norms<v>,
      site_dots<v>,
  };
}

}  // namespace

template <>
int widest_lanes_of<isa_tag::ONEHOP_ISA_NAME>() {
  return widest_lanes;
}

template <>
const kernel_table* kernels_of<isa_tag::ONEHOP_ISA_NAME>(int lanes) {
  static constexpr kernel_table one = make_table<1>();
  static constexpr kernel_table two = make_table<2>();
  if (lanes == 1) return &one;
  if (lanes == 2) return &two;
  if constexpr (widest_lanes >= 4) {
    static constexpr kernel_table four = make_table<4>();
    if (lanes == 4) return &four;
  }
  if constexpr (widest_lanes >= 8) {
    static constexpr kernel_table eight = make_table<8>();
    if (lanes == 8) return &eight;
  }
  return nullptr;
}

}  // namespace onehop
