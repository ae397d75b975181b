#pragma once
/// Kernels hold spinors in their own basis.

namespace onehop {

/// A spinor has this many numbers, 3 * spin + colour. Sites with fewer numbers have no spin.
constexpr int spinor_components = 12;

/// Converts a spinor, given by its 24 reals, from one basis to the other in place.
///
/// Outside kernels, gamma_5 is diagonal (DeGrand-Rossi). In kernels gamma_t is diagonal, 1 for the
/// upper two spins and -1 for the lower two, so that a hop in time reads only two spins, unchanged.
/// The matrix (1 1; 1 -1)/sqrt 2 on upper and lower spins converts in both directions.
constexpr void turn_spin_basis(double* spinor) {
  constexpr double sqrt_half = 0.70710678118654752440;
  for (int k = 0; k < spinor_components; ++k) {
    const double upper = spinor[k], lower = spinor[spinor_components + k];
    spinor[k] = sqrt_half * (upper + lower);
    spinor[spinor_components + k] = sqrt_half * (upper - lower);
  }
}

}  // namespace onehop
