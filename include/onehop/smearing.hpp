#pragma once
/// Smearing makes links smoother, and so does the gradient flow.
///
/// All functions are collective, need valid ghosts and leave valid ghosts. The result is the same
/// for every grid of ranks, bit for bit.

#include <onehop/gauge_field.hpp>

#include <array>

namespace onehop {

/// smeared_directions says which links are smeared, and with which staples.
enum class smeared_directions {
  all,     ///< links in all four directions
  spatial  ///< only x, y, z, with spatial staples; t is unchanged, as sources and correlators in t
           ///< need
};

/// Applies `U <- P[(1-alpha) U + alpha/n sum of the n staples]`. n is 6, or 4 for spatial
/// directions, and P is the projection to the nearest element of SU(3) (Albanese et al., Phys.
/// Lett. B 192 (1987) 163).
///
/// Throws usage_error unless 0 <= alpha <= 1, and numeric_error if the sum of links has no nearest
/// element.
void smear_ape(gauge_field& links, double alpha,
               smeared_directions directions = smeared_directions::all);

/// Applies `U <- exp(rho A) U`, where A is the traceless antihermitian part of (sum of staples) U^+
/// (Morningstar and Peardon, Phys. Rev. D 69 (2004) 054501).
///
/// Throws usage_error for a rho that is negative or not finite.
void smear_stout(gauge_field& links, double rho,
                 smeared_directions directions = smeared_directions::all);

/// Applies HYP smearing, which mixes only links of the hypercubes that contain the link (Hasenfratz
/// and Knechtli, Phys. Rev. D 64 (2001) 034504). `alpha` holds alpha_1, alpha_2, alpha_3, the
/// outermost step first.
///
/// Throws usage_error unless each is in 0..1, numeric_error as smear_ape.
void smear_hyp(gauge_field& links, const std::array<double, 3>& alpha = {0.75, 0.6, 0.3});

/// Advances the Wilson flow `dV/dt = -g0^2 (d S_w(V)) V` by `step`, with Luescher's third-order
/// Runge-Kutta scheme (JHEP 08 (2010) 071, appendix C). The error is of order step^3 at fixed t.
/// The first of the three stages is a stout step with rho = step/4. Steps of 0.01 to 0.05 are
/// usual.
///
/// Throws usage_error for a step that is not positive and finite.
void flow_step(gauge_field& links, double step);

/// Returns the energy density of the flow from the plaquette, `E = 2 mean of sum_{mu<nu} Re tr(1 -
/// P_mu_nu)`.
double plaquette_energy(const gauge_field& links);

}  // namespace onehop
