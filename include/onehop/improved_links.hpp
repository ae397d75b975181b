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
/// The second one of HISQ, with the Lepage term of both: 1 + e/8, 1/16, 1/64, 1/384, -1/8,
/// -(1 + e)/24 with e the `naik_epsilon` that a heavy quark needs: the third derivative is taken
/// 1 + e times as often, of which a part is the link itself (Follana et al., Phys. Rev. D 75 (2007)
/// 054502; Bazavov et al., Phys. Rev. D 82 (2010) 074501). Throws usage_error for one that is not
/// finite.
path_coefficients hisq_coefficients(double naik_epsilon = 0);
/// The naik_epsilon with which a free quark of this mass (in lattice units, as in M) has the speed
/// of light 1 near rest, up to errors of mass^10: -27/40 m^2 + 327/1120 m^4 - 15607/268800 m^6 -
/// 73697/3942400 m^8 (Bazavov et al. 2010; in the bare mass, not in the rest energy, whose series
/// is that of Follana et al. 2007). Throws usage_error for a mass that is not from 0 to 1, where 2%
/// are left.
double tree_level_naik_epsilon(double mass);

/// Links of no group: sums of products. Their ghosts are valid.
struct improved_links {
  gauge_field fat;   ///< from x to x+mu
  gauge_field naik;  ///< from x to x+3mu
};

/// Collective. Needs valid ghosts of `thin`; the result is the same for every grid of ranks, bit
/// for bit.
improved_links make_improved_links(const gauge_field& thin, const path_coefficients& coefficients);
/// Makes the links with asqtad_coefficients(u0).
improved_links make_asqtad_links(const gauge_field& thin, double u0 = 1);
/// Fat7 links, their nearest elements of U(3), and of those hisq_coefficients(naik_epsilon)
/// (Follana et al., Phys. Rev. D 75 (2007) 054502). Throws numeric_error naming a fat link that has
/// no nearest element.
improved_links make_hisq_links(const gauge_field& thin, double naik_epsilon = 0);

}  // namespace onehop
