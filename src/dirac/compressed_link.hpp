#pragma once
/// Links in fewer reals; isa/expand_link.hpp says what the reals mean and turns them back.

#include <onehop/gauge_field.hpp>

#include <array>

namespace onehop {

/// The first `reals` (18, 12 or 8) of the result stand for sign * u; 12 and 8 need u in SU(3).
std::array<double, 18> compressed(const colour_matrix& u, double sign, int reals);

/// Largest entry of |U^+ U - 1| and of |third row - (first x second)^*|; NaN if u has one.
double distance_from_su3(const colour_matrix& u);

}  // namespace onehop
