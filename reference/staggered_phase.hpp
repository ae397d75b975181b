#pragma once
/// Staggered operators are written with these phases.

#include <onehop/geometry.hpp>

#include <array>

namespace onehop::reference {

/// eta_mu(x) = 1, (-1)^x, (-1)^(x+y), (-1)^(x+y+z)
inline double eta(int mu, const coordinate& x) {
  const std::array<int, 4> exponent = {0, x[0], x[0] + x[1], x[0] + x[1] + x[2]};
  return exponent[mu] % 2 == 0 ? 1.0 : -1.0;
}

}  // namespace onehop::reference
