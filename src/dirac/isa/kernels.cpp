// This file is built once per instruction set and type of reals; ONEHOP_ISA_NAME and ONEHOP_REAL
// name them, and the compiler is told to use the set. It includes nothing that could expose an
// inline function of this instruction set to other code.

#include "dirac/isa/algebra.hpp"
#include "dirac/isa/hop.hpp"
#include "dirac/isa/machine.hpp"
#include "dirac/isa/pack.hpp"
#include "dirac/isa/rhs_blocks.hpp"
#include "dirac/isa/staggered.hpp"
#include "dirac/isa/tables.hpp"
#include "dirac/isa/wilson.hpp"

#define ONEHOP_STRING_OF(x) #x
#define ONEHOP_STRING(x) ONEHOP_STRING_OF(x)

namespace onehop {
namespace {

template <field_precision Kind, int Lanes>
constexpr kernel_table make_table() {
  constexpr bool fixed = Kind == field_precision::half;
  using v = simd<std::conditional_t<Kind == field_precision::double_, double, float>, Lanes>;
  return {
      ONEHOP_STRING(ONEHOP_ISA_NAME),
      Kind,
      Lanes,
      [](const hop_job& job, bool dagger) {
        dagger ? hop<wilson_dagger, v, fixed>(job) : hop<wilson_plain, v, fixed>(job);
      },
      [](const pack_job& job, bool dagger) {
        dagger ? pack<wilson_dagger, v>(job) : pack<wilson_plain, v>(job);
      },
      multiply_sites<v>,
      staggered_hop<v>,
      naik_hop<v>,
      pack<staggered_site, v>,
      axpy<v, fixed>,
      xpay<v, fixed>,
      complex_axpy<v, fixed>,
      site_norms<v, fixed>,
      site_dots<v, fixed>,
      site_two_dots<v, fixed>,
      residual_step<v, fixed>,
      direction_step<v, fixed>,
      shifted_step<v, fixed>,
      pipelined_step<v, fixed>,
      half_step<v, fixed>,
      stabilised_step<v, fixed>,
      fixed ? nullptr : mix_rhs<v>,
      fixed ? nullptr : rhs_dots<v>,
      fma<v>,
      2.0 * fma_chains * Lanes,
      stream_lines<v>,
  };
}

/// Finds the table of `lanes` lanes, counting down from Lanes; instruction_set::kernels says which
/// lane counts are left out.
template <field_precision Kind, int Lanes>
const kernel_table* find(int lanes) {
  if constexpr (Lanes == 0) {
    return nullptr;
  } else {
    static constexpr kernel_table table = make_table<Kind, Lanes>();
    return lanes == Lanes ? &table : find < Kind, Lanes == 4 ? 1 : Lanes / 2 > (lanes);
  }
}

}  // namespace

template <>
int widest_lanes_of<isa_tag::ONEHOP_ISA_NAME, ONEHOP_REAL>() {
  return widest_bytes / static_cast<int>(sizeof(ONEHOP_REAL));
}

template <>
const kernel_table* kernels_of<isa_tag::ONEHOP_ISA_NAME, ONEHOP_REAL>(field_precision kind,
                                                                      int lanes) {
  constexpr int widest = widest_bytes / static_cast<int>(sizeof(ONEHOP_REAL));
  if constexpr (std::is_same_v<ONEHOP_REAL, double>) {
    return find<field_precision::double_, widest>(lanes);
  } else {
    return kind == field_precision::half ? find<field_precision::half, widest>(lanes)
                                         : find<field_precision::single, widest>(lanes);
  }
}

}  // namespace onehop
