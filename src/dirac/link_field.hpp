#pragma once
/// The links as the kernels want them.

#include "lattice/lane_field.hpp"

#include <onehop/dirac_operator.hpp>
#include <onehop/gauge_field.hpp>

namespace onehop {

/// For each vector of one parity its eight links, [vector][8][row][column][re, im][lane]: U_mu(x)
/// forward, U_mu^+(x-mu) backward. A hop then reads one stream in order and never rearranges the
/// lanes of a link, at the price of storing each link twice.
///
/// The boundary phase in time and, for staggered fermions, eta_mu(x) and the minus sign of the
/// backward hop are multiplied in.
class link_field {
 public:
  /// `links` must have valid ghosts.
  link_field(const lane_layout& layout, int parity, const gauge_field& links, dslash kind,
             bool antiperiodic);

  const double* data() const noexcept { return reals_.data(); }

 private:
  aligned_reals reals_;
};

/// eta_mu(x) of staggered fermions: 1, (-1)^x, (-1)^(x+y), (-1)^(x+y+z).
int staggered_phase(int mu, const coordinate& global) noexcept;

}  // namespace onehop
