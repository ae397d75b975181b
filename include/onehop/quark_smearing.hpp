#pragma once
/// Smearing spreads quark fields in space. The resulting sources and sinks resemble a hadron more
/// than points do.

#include <onehop/gauge_field.hpp>

#include <complex>
#include <span>

namespace onehop {

/// Applies gauge-covariant Gaussian (Wuppertal) smearing `steps` times:
///
///     psi(x) <- (psi(x) + kappa sum_j [U_j(x) psi(x+j) + U_j^+(x-j) psi(x-j)]) / (1 + 6 kappa)
///
/// with j = x, y, z (Guesken et al., Phys. Lett. B 227 (1989) 266; normalised here so that the
/// weights add up to 1). Time slices and spins do not mix, and the operator is hermitian. On unit
/// links, many steps approach a Gaussian exp(-r^2 / (2 s^2)) with s^2 = 2 steps kappa / (1 + 6
/// kappa). The links are often smeared first, see smear_ape.
///
/// `fields` are one or more canonical fields of this rank's block with `components` (12 or 3)
/// numbers per site, in the order spin*3+colour or colour. Collective; needs valid ghosts. The
/// result has the same bits on every grid. Throws usage_error for a kappa that is negative or not
/// finite, for a negative number of steps, and for fields of another size.
void smear_wuppertal(const gauge_field& links, double kappa, int steps, int components,
                     std::span<std::complex<double>> fields);

}  // namespace onehop
