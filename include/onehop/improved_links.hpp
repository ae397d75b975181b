#pragma once
/// Fat and three-hop (Naik) links of improved staggered fermions, summed up from paths of thin
/// ones.

#include <onehop/gauge_field.hpp>

namespace onehop {

/// What a path of each kind contributes to a fat link; staples of n links leave the link's
/// direction in (n-1)/2 different others. `naik` is of the three links straight ahead.
struct path_coefficients {
  double one_link, three_staple, five_staple, seven_staple;
  double lepage;  ///< the staple of two links up, one along and two down in one direction
  double naik;
};

/// Fat7 with Lepage and Naik terms: errors of O(a^4, g^2 a^2) (Lepage, Phys. Rev. D 59 (1999)
/// 074502; Orginos, Toussaint and Sugar, Phys. Rev. D 60 (1999) 054503): 5/8, 1/16, 1/64, 1/384,
/// -1/16, -1/24. A path of n links is divided by u0^(n-1); the factor 1/u0 that all of them share
/// is left in the quark mass. Throws usage_error unless u0 is positive and finite.
path_coefficients asqtad_coefficients(double u0 = 1);
/// The first smearing of HISQ: 1/8, 1/16, 1/64, 1/384.
path_coefficients fat7_coefficients() noexcept;
/// The second one of HISQ, with the Lepage term of both: 1, 1/16, 1/64, 1/384, -1/8, -1/24.
path_coefficients hisq_coefficients() noexcept;

/// Links of no group: sums of products. Their ghosts are valid.
struct improved_links {
  gauge_field fat;   ///< from x to x+mu
  gauge_field naik;  ///< from x to x+3mu
};

/// Collective. Needs valid ghosts of `thin`; the result is the same for every grid of ranks, bit
/// for bit.
improved_links make_improved_links(const gauge_field& thin, const path_coefficients& coefficients);
/// With asqtad_coefficients(u0).
improved_links make_asqtad_links(const gauge_field& thin, double u0 = 1);
/// Fat7 links, their nearest elements of U(3), and of those hisq_coefficients() (Follana et al.,
/// Phys. Rev. D 75 (2007) 054502), without a correction of the Naik term for heavy quarks. Throws
/// numeric_error naming a fat link that has no nearest element.
improved_links make_hisq_links(const gauge_field& thin);

}  // namespace onehop
