#pragma once
/// What is measured on a gauge configuration beside the plaquette.
///
/// All functions are collective, need valid ghosts, and are bit-identical on every grid of ranks.

#include <onehop/gauge_field.hpp>

#include <array>
#include <complex>

namespace onehop {

/// Mean of Re tr R / 3 over the planar loops of 1 x 2 links, sites and orientations: with the
/// plaquette all that improved gauge actions are made of (Luescher and Weisz, Commun. Math. Phys.
/// 97 (1985) 59).
double rectangle(const gauge_field& links);

/// Mean of tr P / 3 over the straight loops that wind once around the lattice, one number for each
/// direction. That of direction t is the order parameter of deconfinement.
std::array<std::complex<double>, 4> polyakov_loops(const gauge_field& links);

/// From the field strength of the clover, `F = -(i/8)(Q - Q^+)` without its trace, `Q_mu_nu(x)` the
/// sum of the four oriented plaquettes of the plane that meet in x.
struct field_strength_average {
  /// Mean over sites of `E = sum_{mu<nu} tr F_mu_nu^2`, in lattice units (Luescher, JHEP 08 (2010)
  /// 071, eq. 3.1).
  double energy;
  /// `Q = 1/(4 pi^2) sum_x tr (F_01 F_23 - F_02 F_13 + F_03 F_12)`. Near whole numbers only on
  /// smooth fields: smear or flow first.
  double topological_charge;
};
field_strength_average clover_field_strength(const gauge_field& links);

}  // namespace onehop
