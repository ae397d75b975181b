#pragma once
/// Which operator M.
///
/// Wilson     M psi(x) = (4+m) psi(x) - 1/2 sum_mu [(1-g_mu) U_mu(x) psi(x+mu)
///                                                 + (1+g_mu) U_mu^+(x-mu) psi(x-mu)]
/// clover     Wilson - (csw/2) sum_{mu<nu} sigma_mu_nu F_mu_nu(x), sigma = (i/2) [g_mu, g_nu],
///            F = -(i/8) (Q - Q^+), Q the sum of the four plaquettes at x, all anticlockwise
/// staggered  M chi(x) = m chi(x) + 1/2 sum_mu eta_mu(x) [U_mu(x) chi(x+mu) - U_mu^+(x-mu)
/// chi(x-mu)]
/// asqtad, hisq   M chi(x) = m chi(x) + 1/2 sum_mu eta_mu(x) [F_mu(x) chi(x+mu) - F_mu^+(x-mu)
/// chi(x-mu) + N_mu(x) chi(x+3mu) - N_mu^+(x-3mu) chi(x-3mu)], F and N as in improved_links.hpp
///
/// Twisted mass adds i mu gamma_5 to Wilson and clover: the flavour tau_3 = +1 in the twisted
/// basis; -mu is the other one. M(mu)^+ = gamma_5 M(-mu) gamma_5.
///
/// Spin basis DeGrand-Rossi, gamma_5 = diag(1,1,-1,-1); eta = 1, (-1)^x, (-1)^(x+y), (-1)^(x+y+z);
/// kappa = 1/(2(4+m)). Solutions are in the mass normalisation.

#include <map>
#include <string>

namespace onehop {

enum class dslash { wilson, clover, staggered, asqtad, hisq };

/// Fat links and a three-hop term.
constexpr bool is_improved(dslash kind) noexcept {
  return kind == dslash::asqtad || kind == dslash::hisq;
}
/// One spin component, and an antihermitian hopping term.
constexpr bool is_staggered(dslash kind) noexcept {
  return kind == dslash::staggered || is_improved(kind);
}
/// How many sites a hop reaches.
constexpr int reach(dslash kind) noexcept { return is_improved(kind) ? 3 : 1; }

/// Complex numbers per site: 12 (spin, colour) for Wilson and clover, 3 for all kinds of staggered.
int components(dslash kind) noexcept;

/// When the boundary is computed: after all faces with everything else (none), after all faces
/// with the interior computed meanwhile (fused), or face by face as they arrive (faces).
enum class overlap { none, fused, faces };

/// Double or single numbers; half: 16-bit fixed point with a scale per site, and where a system is
/// solved with corrections in single; mixed: in single with corrections in double.
enum class precision { double_, single, half, mixed };

struct operator_options {
  onehop::dslash dslash = onehop::dslash::wilson;
  double mass = 0.0;
  double csw = 0.0;          ///< of the clover term; other operators have none
  double mu = 0.0;           ///< twisted mass; staggered fermions have none
  double u0 = 1.0;           ///< tadpole factor of asqtad's path coefficients
  double naik_epsilon = 0;   ///< of hisq's Naik term, see hisq_coefficients
  bool antiperiodic = true;  ///< in time
  onehop::overlap overlap = onehop::overlap::fused;
  int threads = 1;  ///< that share a rank's work
  /// How hops are done, by their names, both in the words of `onehop tune dslash`; those that are
  /// not named as nobody has measured. Changes no bit.
  std::map<std::string, std::string> hops;
};

}  // namespace onehop
