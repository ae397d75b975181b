#pragma once
/// This is the clover term of the improved Wilson operator (Sheikholeslami and Wohlert, Nucl. Phys.
/// B 259, 572 (1985)).

#include <array>
#include <complex>
#include <onehop/gauge_field.hpp>
#include <optional>
#include <vector>

namespace onehop {

/// A chiral_block is a 6x6 matrix on spin and colour of one chirality (spins 0, 1 or spins 2, 3).
/// It is row-major with the index 3 * (spin of the chirality) + colour.
using chiral_block = std::array<std::complex<double>, 36>;

/// Returns the inverse, or nothing if the block is singular to working precision or not finite.
std::optional<chiral_block> inverse(const chiral_block& block);

/// Returns the block as site_factor stores it: 18 numbers for a hermitian block, whose entries
/// above the diagonal are not read; 36 for a general one.
std::vector<std::complex<double>> packed(const chiral_block& block, bool general);

/// Returns -(csw/2) sum_{mu<nu} sigma_mu_nu F_mu_nu at a site of the block, for the upper (spins 0,
/// 1) and the lower chirality. Here sigma = (i/2) [g_mu, g_nu] and F = -(i/8) (Q - Q^+), where Q is
/// the sum of the four plaquettes at the site. The term is hermitian. Ghosts of the links, corners
/// included, must be valid.
std::array<chiral_block, 2> clover_term(const gauge_field& links, const coordinate& site,
                                        double csw);

}  // namespace onehop
