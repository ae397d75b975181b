#pragma once
/// The basis that kernels have spinors in.

namespace onehop {

/// Numbers of a spinor, 3 * spin + colour. Sites with fewer have no spin.
constexpr int spinor_components = 12;

/// From one basis to the other, in place: `spinor` are its 24 reals.
///
/// Outside, gamma_5 is diagonal (DeGrand-Rossi). For kernels gamma_t is, 1 for the upper two spins
/// and -1 for the lower two, so that a hop in time reads only two of them, and those as they are.
/// (1 1; 1 -1) / sqrt 2 of upper and lower spins leads there and back.
constexpr void turn_spin_basis(double* spinor) {
  constexpr double sqrt_half = 0.70710678118654752440;
  for (int k = 0; k < spinor_components; ++k) {
    const double upper = spinor[k], lower = spinor[spinor_components + k];
    spinor[k] = sqrt_half * (upper + lower);
    spinor[spinor_components + k] = sqrt_half * (upper - lower);
  }
}

}  // namespace onehop
