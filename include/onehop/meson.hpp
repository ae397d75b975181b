#pragma once
/// Meson correlators are two-point functions computed from two propagators.

#include <onehop/geometry.hpp>

#include <array>
#include <complex>
#include <span>
#include <vector>

namespace onehop {

/// The integers n_i represent the momentum p_i = 2 pi n_i / L_i.
using momentum = std::array<int, 3>;

/// Returns the correlators of local mesons of a Wilson-type quark q and antiquark Q, for each of
/// the 16 gamma structures Gamma = g_x^a g_y^b g_z^c g_t^d, numbered a + 2b + 4c + 8d (15 is
/// gamma_5):
///
///     C(t, p) = sum_x e^(-i p.(x - x0)) <O(x,t) Obar(x0,t0)>,  O = Qbar Gamma q,
///             = s sum_x e^(-i p.(x - x0)) tr[g_5 Gamma S_q (g_5 Gamma)^+ S_Q^+],
///
/// where s = +-1 is defined by g_t (g_5 Gamma) g_t = s g_5 Gamma. Only the connected part is
/// computed, and t is counted from t0. For two equal quarks, given as the same propagator twice,
/// Gamma = g_5 at p = 0 gives sum |S|^2. With a twisted mass mu, S_Q is the propagator of the
/// antiquark's flavour partner, with -mu, whose conjugate is the propagator of the antiquark.
///
/// A propagator holds the 12 solutions one after the other, in the order source spin*3+colour. Each
/// is a canonical spinor field of this rank's block. The result has the order [Gamma][momentum][t]
/// and the same bits on every rank and grid. Throws usage_error for a propagator of another size.
/// Collective.
std::vector<std::complex<double>> meson_correlators(const geometry& geometry,
                                                    const coordinate& source,
                                                    std::span<const std::complex<double>> quark,
                                                    std::span<const std::complex<double>> antiquark,
                                                    std::span<const momentum> momenta);

/// Returns the correlators of local mesons of staggered quarks, by corner n of the spatial
/// Brillouin zone, numbered n_x + 2 n_y + 4 n_z:
///
///     C(t, p) = sum_x (-1)^(n.(x - x0)) e^(-i p.(x - x0)) sum_colours S_q(x,t;x0,t0)
///     S_Q^*(x,t;x0,t0)
///
/// Each correlator contains a state and, multiplied by (-1)^t, its parity partner (Golterman, Nucl.
/// Phys. B273, 663 (1986)). Corner 0: g_5 x xi_5, the Goldstone pion, alone; e_i: g_i x xi_i and
/// g_j g_k x xi_j xi_k; e_j + e_k: g_i g_t x xi_i xi_t and g_i g_5 x xi_i xi_5; 7: g_t g_5 x xi_t
/// xi_5 and 1 x 1.
///
/// A propagator holds the 3 solutions, one for each source colour. Everything else is as in
/// meson_correlators. The result has the order [corner][momentum][t].
std::vector<std::complex<double>> staggered_meson_correlators(
    const geometry& geometry, const coordinate& source, std::span<const std::complex<double>> quark,
    std::span<const std::complex<double>> antiquark, std::span<const momentum> momenta);

}  // namespace onehop
