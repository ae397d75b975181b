#pragma once
/// Gauge fixing transforms links to Landau or Coulomb gauge.

#include <onehop/gauge_field.hpp>

#include <functional>

namespace onehop {

/// The condition says which links count: all links (Landau), or only spatial ones (Coulomb).
enum class gauge_condition { landau, coulomb };

struct gauge_fixing_options {
  gauge_condition condition = gauge_condition::landau;
  double tolerance = 1e-12;     ///< the fixing ends when theta is at most this
  double overrelaxation = 1.7;  ///< the power omega, from 1 to below 2
  int max_sweeps = 10000;
  /// This is called on every rank with the number of sweeps done and theta, whenever theta is
  /// computed. An exception thrown here ends the fixing and leaves the links unchanged.
  std::function<void(int sweeps, double theta)> progress = {};
};

struct gauge_fixing_report {
  bool converged;
  int sweeps;
  double theta, theta_before;
  double functional, functional_before;  ///< the functional F
};

/// Transforms the links to a maximum of
///
///     F = 1/(3 D V) sum_x sum_mu Re tr U_mu(x),
///
/// where mu = x, y, z, t and D = 4 for Landau gauge, and mu = x, y, z and D = 3 for Coulomb gauge.
/// The method is over-relaxation: at even sites, then at odd ones, and in three SU(2) subgroups one
/// after the other, the links are transformed by the rotation that maximises F, raised to the power
/// omega (Mandula and Ogilvie, Phys. Lett. B 248 (1990) 156). It ends when
///
///     theta = 1/(3 V) sum_x tr D(x) D^+(x),  D(x) = sum_mu [U_mu(x-mu) - U_mu(x)] - h.c. - trace
///
/// (Davies et al., Phys. Rev. D 37 (1988) 1581), which is computed every 10 sweeps, is at most the
/// tolerance. If max_sweeps is reached first, the report says so. Which of several maxima (Gribov
/// copies) is found depends on the given links.
///
/// Collective. Ghosts must be valid and are valid afterwards; the result is the same for every grid
/// of ranks, bit for bit. Throws usage_error for an odd extent in a direction that counts, for an
/// omega outside the range from 1 to below 2, and for a tolerance or a number of sweeps that is not
/// positive; numeric_error if links are not finite.
gauge_fixing_report fix_gauge(gauge_field& links, const gauge_fixing_options& options);

}  // namespace onehop
