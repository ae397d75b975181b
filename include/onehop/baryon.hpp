#pragma once
/// Baryon correlators are two-point functions of baryons, computed from propagators.

#include <onehop/geometry.hpp>
#include <onehop/meson.hpp>
#include <onehop/solver_options.hpp>

#include <complex>
#include <span>
#include <vector>

namespace onehop {

/// Returns the two-point functions of the proton and the Delta, made of two Wilson-type quarks of
/// one flavour, u, and one of another, d:
///
///     proton    N = eps_abc (u_a^T C g_5 d_b) u_c
///     Delta+    D_k = eps_abc [2 (u_a^T C g_k d_b) u_c + (u_a^T C g_k u_b) d_c] / sqrt(3)
///
/// with C = g_y g_t, C g_mu C^-1 = -g_mu^T, in the DeGrand-Rossi basis, and Nbar = N^+ g_t. If d is
/// replaced by s, they become Sigma+ and Sigma*+; if u is replaced by s and d by u, they become Xi0
/// and Xi*0. If both quarks are alike, D_k has the correlator of Delta++, eps_abc (u_a^T C g_k u_b)
/// u_c.
///
///     C(t, p) = sum_x e^(-i p.(x - x0)) tr[P <N(x,t) Nbar(x0,t0)>]
///     C(t, p) = sum_x e^(-i p.(x - x0)) sum_jk tr[P (delta_jk - g_j g_k / 3) <D_k(x,t)
///               Dbar_j(x0,t0)>]
///
/// for P = (1 + g_t)/2 and (1 - g_t)/2. The traces are not divided by the number of states. At
/// rest, P projects states that propagate forward in time on parity +1 and -1, and the projector of
/// the Delta selects spin 3/2. States that propagate backward have the opposite parity: C_-(Nt - t)
/// = -C_+(t) on average for antiperiodic quarks. At p != 0 the same matrices are used, but they
/// then mix parities and spins.
///
/// t is counted from t0. On time slices that a quark reaches from t0 only by crossing the boundary
/// in time, the correlator is multiplied by the sign of `boundary` three times, so no correlator
/// depends on the position of the source.
///
/// `twice` and `once` are the propagators of u and d, as in meson.hpp, and may be the same memory.
/// The result has the order [kind][momentum][t]; kinds 0 and 1 are the proton with P_+ and P_-,
/// kinds 2 and 3 the Delta. It has the same bits on every rank and grid. Throws usage_error for a
/// propagator of another size. Collective.
std::vector<std::complex<double>> baryon_correlators(const geometry& geometry,
                                                     const coordinate& source, boundary boundary,
                                                     std::span<const std::complex<double>> twice,
                                                     std::span<const std::complex<double>> once,
                                                     std::span<const momentum> momenta);

}  // namespace onehop
