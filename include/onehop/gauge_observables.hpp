#pragma once
/// These functions measure observables of a gauge configuration other than the plaquette.
///
/// All are collective, need valid ghosts, and are bit-identical on every grid of ranks.

#include <onehop/gauge_field.hpp>

#include <array>
#include <complex>

namespace onehop {

/// Returns the mean of Re tr R / 3 over the planar loops of 1 x 2 links, over sites and
/// orientations. Improved gauge actions consist of this rectangle and the plaquette (Luescher and
/// Weisz, Commun. Math. Phys. 97 (1985) 59).
double rectangle(const gauge_field& links);

/// Returns for each direction the mean of tr P / 3 over the straight loops that wind once around
/// the lattice. The loop in direction t is the order parameter of deconfinement.
std::array<std::complex<double>, 4> polyakov_loops(const gauge_field& links);

/// These averages are computed from the clover field strength, `F = -(i/8)(Q - Q^+)` without its
/// trace. `Q_mu_nu(x)` is the sum of the four oriented plaquettes of the plane that meet in x.
struct field_strength_average {
  /// The energy density is the mean over sites of `E = sum_{mu<nu} tr F_mu_nu^2`, in lattice units
  /// (Luescher, JHEP 08 (2010) 071, eq. 3.1).
  double energy;
  /// The topological charge is `Q = 1/(4 pi^2) sum_x tr (F_01 F_23 - F_02 F_13 + F_03 F_12)`. It is
  /// close to integers only on smooth fields, so smear or flow the field first.
  double topological_charge;
};
field_strength_average clover_field_strength(const gauge_field& links);

}  // namespace onehop
