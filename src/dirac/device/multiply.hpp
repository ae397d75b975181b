#pragma once
/// This file multiplies a spinor by the factor of its site.

#include "dirac/device/one_lane.hpp"
#include "dirac/device/row.hpp"
#include "dirac/isa/multiply_block.hpp"

namespace onehop::device {
namespace {

/// Multiplies a spinor of 24 reals; `out` may be `in`. The factor of a site is the same for all
/// right-hand sides.
template <class Stored>
ONEHOP_INLINE void multiply_site(arithmetic<Stored>* out, const arithmetic<Stored>* in,
                                 const site_factor& factor, std::int32_t site) {
  using real = arithmetic<Stored>;
  using lane = one_lane<real>;
  constexpr int components = 2 * chiral_components;
  const lane twist = lane::broadcast(static_cast<real>(factor.twist));
  complex_simd<lane> spinor[components], product[components];
  ONEHOP_UNROLL
  for (int c = 0; c < components; ++c) spinor[c] = {{in[2 * c]}, {in[2 * c + 1]}};
  if (factor.blocks[0].rows == nullptr) {
    const lane scale = lane::broadcast(static_cast<real>(factor.scale));
    // In the kernels' basis gamma_5 exchanges upper and lower spins.
    ONEHOP_UNROLL
    for (int first = 0; first < components; first += chiral_components) {
      multiply_number(product + first, spinor + first, scale);
      add_twisted(product + first, spinor + chiral_components - first, twist);
    }
  } else {
    turn_to_chiralities(spinor);
    ONEHOP_UNROLL
    for (int chirality = 0; chirality < 2; ++chirality) {
      const complex_simd<lane>* x = spinor + chirality * chiral_components;
      complex_simd<lane>* y = product + chirality * chiral_components;
      if (factor.general) {
        real block[72];
        open_row<Stored, 72>(block, factor.blocks[chirality], site, 0);
        multiply_general(y, x, block, factor.adjoint);
      } else {
        real block[36];
        open_row<Stored, 36>(block, factor.blocks[chirality], site, 0);
        multiply_hermitian(y, x, block);
      }
      add_twisted(y, x, chirality == 0 ? twist : lane{-twist.v});
    }
    turn_to_chiralities(product);
    ONEHOP_UNROLL
    for (int c = 0; c < components; ++c) {
      product[c] = {{product[c].re.v / 2}, {product[c].im.v / 2}};
    }
  }
  ONEHOP_UNROLL
  for (int c = 0; c < components; ++c) {
    out[2 * c] = product[c].re.v;
    out[2 * c + 1] = product[c].im.v;
  }
}

template <class Stored>
struct multiply {
  site_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t site, std::int32_t n) const {
    arithmetic<Stored> row[24];
    open_row<Stored, 24>(row, job.in, site, n);
    multiply_site<Stored>(row, row, job.factor, site);
    close_row<Stored, 24>(row, job.out, site, n);
    return {0, 0};
  }
};

}  // namespace
}  // namespace onehop::device
