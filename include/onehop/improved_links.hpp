#pragma once
/// The fat and three-link (Naik) links of improved staggered fermions are sums over paths of thin
/// links.

#include <onehop/gauge_field.hpp>

namespace onehop {

/// Each coefficient is the weight of one kind of path in a fat link. A staple of n links leaves the
/// link's direction in (n-1)/2 different other directions. `naik` is the coefficient of the three
/// links straight ahead.
struct path_coefficients {
  double one_link, three_staple, five_staple, seven_staple;
  double lepage;  ///< staple of two links up, one along and two down in one direction
  double naik;
};

/// Returns the coefficients of asqtad, which is Fat7 with Lepage and Naik terms and has errors of
/// O(a^4, g^2 a^2) (Lepage, Phys. Rev. D 59 (1999) 074502; Orginos, Toussaint and Sugar, Phys. Rev.
/// D 60 (1999) 054503): 5/8, 1/16, 1/64, 1/384, -1/16, -1/24. A path of n links is divided by
/// u0^(n-1); the factor 1/u0 that all paths share is absorbed in the quark mass. Throws usage_error
/// unless u0 is positive and finite.
path_coefficients asqtad_coefficients(double u0 = 1);
/// Returns the coefficients of HISQ's first smearing: 1/8, 1/16, 1/64, 1/384.
path_coefficients fat7_coefficients() noexcept;
/// Returns the coefficients of HISQ's second smearing, whose Lepage term is that of both smearings
/// together: 1 + e/8, 1/16, 1/64, 1/384, -1/8, -(1 + e)/24. Here e is the `naik_epsilon` of a heavy
/// quark: the third derivative enters with the weight 1 + e, and part of it is proportional to the
/// link itself (Follana et al., Phys. Rev. D 75 (2007) 054502; Bazavov et al., Phys. Rev. D 82
/// (2010) 074501). Throws usage_error for an epsilon that is not finite.
path_coefficients hisq_coefficients(double naik_epsilon = 0);
/// Returns the naik_epsilon with which a free quark of this mass (in lattice units, as in M) has
/// the speed of light 1 near rest, up to errors of mass^10: -27/40 m^2 + 327/1120 m^4 -
/// 15607/268800 m^6 - 73697/3942400 m^8 (Bazavov et al. 2010). The series is in the bare mass; the
/// series of Follana et al. 2007 is in the rest energy. Throws usage_error unless the mass is from
/// 0 to 1, where the error is 2%.
double tree_level_naik_epsilon(double mass);

/// Improved links are sums of products and are not elements of a group. Their ghosts are valid.
struct improved_links {
  gauge_field fat;   ///< fat links, from x to x+mu
  gauge_field naik;  ///< Naik links, from x to x+3mu
};

/// Returns the links with these coefficients; collective. Needs valid ghosts of `thin`. The result
/// is the same for every grid of ranks, bit for bit.
improved_links make_improved_links(const gauge_field& thin, const path_coefficients& coefficients);
/// Returns the links with asqtad_coefficients(u0).
improved_links make_asqtad_links(const gauge_field& thin, double u0 = 1);
/// Returns HISQ links: Fat7 links are projected to the nearest elements of U(3), and the links with
/// hisq_coefficients(naik_epsilon) are made from those (Follana et al., Phys. Rev. D 75 (2007)
/// 054502). Throws numeric_error if a fat link has no nearest element, naming the link.
improved_links make_hisq_links(const gauge_field& thin, double naik_epsilon = 0);

}  // namespace onehop
