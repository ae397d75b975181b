#pragma once
/// A spinor times what stands at its site.

#include "dirac/device/one_lane.hpp"
#include "dirac/device/row.hpp"
#include "dirac/isa/multiply_block.hpp"

namespace onehop::device {
namespace {

/// 24 reals each; `out` may be `in`. What stands at a site is the same for all columns.
template <class Stored>
ONEHOP_INLINE void multiply_site(arithmetic<Stored>* out, const arithmetic<Stored>* in,
                                 const site_factor& factor, std::int32_t site) {
  using real = arithmetic<Stored>;
  using lane = one_lane<real>;
  ONEHOP_UNROLL
  for (int chirality = 0; chirality < 2; ++chirality) {
    const int first = chirality * 2 * chiral_components;
    complex_simd<lane> x[chiral_components], y[chiral_components];
    ONEHOP_UNROLL
    for (int c = 0; c < chiral_components; ++c) {
      x[c] = {{in[first + 2 * c]}, {in[first + 2 * c + 1]}};
    }
    if (factor.blocks[0].rows == nullptr) {
      multiply_number(y, x, lane::broadcast(static_cast<real>(factor.scale)));
    } else if (factor.general) {
      real block[72];
      open_row<Stored, 72>(block, factor.blocks[chirality], site, 0);
      multiply_general(y, x, block, factor.adjoint);
    } else {
      real block[36];
      open_row<Stored, 36>(block, factor.blocks[chirality], site, 0);
      multiply_hermitian(y, x, block);
    }
    const real twist = static_cast<real>(chirality == 0 ? factor.twist : -factor.twist);
    add_twisted(y, x, lane::broadcast(twist));
    ONEHOP_UNROLL
    for (int c = 0; c < chiral_components; ++c) {
      out[first + 2 * c] = y[c].re.v;
      out[first + 2 * c + 1] = y[c].im.v;
    }
  }
}

template <class Stored>
struct multiply {
  site_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t site, std::int32_t column) const {
    arithmetic<Stored> row[24];
    open_row<Stored, 24>(row, job.in, site, column);
    multiply_site<Stored>(row, row, job.factor, site);
    close_row<Stored, 24>(row, job.out, site, column);
    return {0, 0};
  }
};

}  // namespace
}  // namespace onehop::device
