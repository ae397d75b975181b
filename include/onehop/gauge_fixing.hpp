#pragma once
/// Gauge fixing brings links to Landau or Coulomb gauge.

#include <onehop/gauge_field.hpp>

#include <functional>

namespace onehop {

/// The condition says which links count: all of them (Landau), or those in space (Coulomb).
enum class gauge_condition { landau, coulomb };

struct gauge_fixing_options {
  gauge_condition condition = gauge_condition::landau;
  double tolerance = 1e-12;     ///< largest theta at which the fixing ends
  double overrelaxation = 1.7;  ///< the power omega, from 1 to below 2
  int max_sweeps = 10000;
  /// This is called on every rank with the sweeps done and theta, where theta is computed; an
  /// exception thrown here ends the fixing, with the links as they were.
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
/// mu = x, y, z, t and D = 4 for Landau gauge, x, y, z and D = 3 for Coulomb gauge, by
/// over-relaxation: at even sites, then at odd ones, and in three SU(2) subgroups one after the
/// other, the rotation that makes F largest to the power omega (Mandula and Ogilvie, Phys. Lett.
/// B 248 (1990) 156). Ends when
///
///     theta = 1/(3 V) sum_x tr D(x) D^+(x),  D(x) = sum_mu [U_mu(x-mu) - U_mu(x)] - h.c. - trace
///
/// (Davies et al., Phys. Rev. D 37 (1988) 1581) is at most the tolerance; computed every 10 sweeps.
/// Where max_sweeps come first the report says so. Which of several maxima, Gribov copies, is found
/// depends on the links given.
///
/// Collective. Ghosts must be valid and are valid afterwards; the result is the same for every grid
/// of ranks, bit for bit. Throws usage_error for an odd extent in a direction that counts, for an
/// omega outside 1..2, and for a tolerance or a number of sweeps that is not positive;
/// numeric_error where links are not finite.
gauge_fixing_report fix_gauge(gauge_field& links, const gauge_fixing_options& options);

}  // namespace onehop
