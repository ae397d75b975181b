#pragma once
/// Smearing is built from these staples.

#include "gauge/neighbour_links.hpp"
#include "gauge/su3_functions.hpp"

namespace onehop {

/// A link_array holds the links of one direction, by padded index.
using link_array = const colour_matrix*;

inline link_array direction(const gauge_field& links, std::size_t mu) noexcept {
  return links.data().data() + mu * (links.data().size() / 4);
}

/// Returns the path around `middle` links, which point in direction mu, along `side` links, which
/// point in nu: forward in nu and back, in the orientation of the middle link. mu and nu are
/// strides.
inline colour_matrix staple_above(link_array side, link_array middle, std::ptrdiff_t mu,
                                  std::ptrdiff_t nu, std::ptrdiff_t x) noexcept {
  return su3::multiply_adjoint(su3::multiply(side[x], middle[x + nu]), side[x + mu]);
}
/// Returns the path that goes backward in nu first.
inline colour_matrix staple_below(link_array side, link_array middle, std::ptrdiff_t mu,
                                  std::ptrdiff_t nu, std::ptrdiff_t x) noexcept {
  const std::ptrdiff_t down = x - nu;
  return su3::multiply(su3::adjoint_multiply(side[down], middle[down]), side[down + mu]);
}
inline colour_matrix staple_pair(link_array side, link_array middle, std::ptrdiff_t mu,
                                 std::ptrdiff_t nu, std::ptrdiff_t x) noexcept {
  return su3::add(staple_above(side, middle, mu, nu, x), 1.0,
                  staple_below(side, middle, mu, nu, x));
}

}  // namespace onehop
