// Built once per instruction set, with ONEHOP_ISA_NAME naming it and the compiler told to use it.
// Includes nothing that could leave an inline function of this instruction set to other code.

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

/// The table of `lanes` lanes, down from Lanes.
template <field_precision Kind, int Lanes>
const kernel_table* find(int lanes) {
  if constexpr (Lanes == 0) {
    return nullptr;
  } else {
    static constexpr kernel_table table = make_table<Kind, Lanes>();
    return lanes == Lanes ? &table : find<Kind, Lanes / 2>(lanes);
  }
}

}  // namespace

template <>
int widest_lanes_of<isa_tag::ONEHOP_ISA_NAME>(field_precision kind) {
  return widest_bytes / static_cast<int>(arithmetic_bytes(kind));
}

template <>
const kernel_table* kernels_of<isa_tag::ONEHOP_ISA_NAME>(field_precision kind, int lanes) {
  switch (kind) {
    case field_precision::double_:
      return find<field_precision::double_, widest_bytes / 8>(lanes);
    case field_precision::single:
      return find<field_precision::single, widest_bytes / 4>(lanes);
    default:
      return find<field_precision::half, widest_bytes / 4>(lanes);
  }
}

}  // namespace onehop
