#pragma once
/// This file compresses links to fewer reals; isa/expand_link.hpp defines the reals and
/// reconstructs the links.

#include <onehop/gauge_field.hpp>

#include <array>

namespace onehop {

/// Returns reals, the first `recon` (18, 12 or 8) of which represent sign * u; 12 and 8 need u in
/// SU(3).
std::array<double, 18> compressed(const colour_matrix& u, double sign, int recon);

/// Returns the largest entry of |U^+ U - 1| and of |third row - (first x second)^*|, or NaN if u
/// contains one.
double distance_from_su3(const colour_matrix& u);

}  // namespace onehop
