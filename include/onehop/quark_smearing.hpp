#pragma once
/// Smearing spreads quark fields in space, for sources and sinks that look more like a hadron than
/// points do.

#include <onehop/gauge_field.hpp>

#include <complex>
#include <span>

namespace onehop {

/// Applies gauge-covariant Gaussian (Wuppertal) smearing, `steps` times
///
///     psi(x) <- (psi(x) + kappa sum_j [U_j(x) psi(x+j) + U_j^+(x-j) psi(x-j)]) / (1 + 6 kappa)
///
/// with j = x, y, z (Guesken et al., Phys. Lett. B 227 (1989) 266, here with the weight 1 kept for
/// the sum of all). Time slices and spins do not mix; the operator is hermitian. On unit links many
/// steps tend to a Gaussian exp(-r^2 / (2 s^2)) with s^2 = 2 steps kappa / (1 + 6 kappa). Links are
/// often smeared first, see smear_ape.
///
/// `fields` are one or more canonical fields of this rank's block with `components` (12 or 3)
/// numbers a site, spin*3+colour or colour. Collective; needs valid ghosts. The result has the same
/// bits on every grid. Throws usage_error for a kappa that is negative or not finite, for a
/// negative number of steps, and for fields of another size.
void smear_wuppertal(const gauge_field& links, double kappa, int steps, int components,
                     std::span<std::complex<double>> fields);

}  // namespace onehop
