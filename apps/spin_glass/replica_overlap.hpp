#pragma once
/// The overlap says how similar two replicas of a sample are.

#include "checkerboard.hpp"
#include "spin_field.hpp"

namespace spin_glass {

/// The overlap susceptibility is chi(k) = N sum over m, n of |q_mn(k)|^2, with q_mn(k) = 1/N sum
/// over x of a_m(x) b_n(x) exp(i k x) for the spins a and b of two replicas and N sites. `zero` is
/// for k = 0, and `smallest` is the mean for the smallest k = 2 pi / L along x, y and z. Without
/// order both are 1 on average. The second-moment correlation length is sqrt(chi(0) / chi(k) - 1) /
/// (2 sin(k / 2)) (Cooper, Freedman, Preston, Nucl. Phys. B 210 (1982) 210).
struct overlap_susceptibility {
  double zero, smallest;
};

/// Returns the susceptibility, with the same bits on any grid of ranks. Collective.
template <class Real>
overlap_susceptibility susceptibility_of(const spin_field<Real>& a, const spin_field<Real>& b);

}  // namespace spin_glass
