#pragma once
/// This is the clover term of the improved Wilson operator (Sheikholeslami and Wohlert, Nucl. Phys.
/// B 259, 572 (1985)).

#include "dirac/chiral_block.hpp"

#include <onehop/gauge_field.hpp>

namespace onehop {

/// Returns -(csw/2) sum_{mu<nu} sigma_mu_nu F_mu_nu at a site of the block, for the upper (spins 0,
/// 1) and the lower chirality: sigma = (i/2) [g_mu, g_nu], F = -(i/8) (Q - Q^+), Q the sum of the
/// four plaquettes at the site. The term is hermitian. Ghosts of the links, corners included, must
/// be valid.
std::array<chiral_block, 2> clover_term(const gauge_field& links, const coordinate& site,
                                        double csw);

}  // namespace onehop
