#pragma once
/// This is the clover term of the improved Wilson operator (Sheikholeslami and Wohlert, Nucl. Phys.
/// B 259, 572 (1985)).

#include <array>
#include <complex>
#include <onehop/gauge_field.hpp>
#include <optional>
#include <vector>

namespace onehop {

/// A chiral_block is a matrix on spin and colour of one chirality: spins 0, 1 or spins 2, 3.
/// The matrix is 6x6, row-major, with the index 3 * (spin of the chirality) + colour.
using chiral_block = std::array<std::complex<double>, 36>;

/// Returns the inverse, and none where the block is singular to working precision or not finite.
std::optional<chiral_block> inverse(const chiral_block& block);

/// Returns the block as site_factor stores it: 18 numbers of a hermitian block, of which the
/// entries above the diagonal are not read; 36 of a general one.
std::vector<std::complex<double>> packed(const chiral_block& block, bool general);

/// Returns -(csw/2) sum_{mu<nu} sigma_mu_nu F_mu_nu at a site of the block, for the upper (spins 0,
/// 1) and the lower chirality: sigma = (i/2) [g_mu, g_nu], F = -(i/8) (Q - Q^+), Q the sum of the
/// four plaquettes at the site. The term is hermitian. Ghosts of the links, corners included, must
/// be valid.
std::array<chiral_block, 2> clover_term(const gauge_field& links, const coordinate& site,
                                        double csw);

}  // namespace onehop
