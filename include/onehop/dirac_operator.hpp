#pragma once
/// A dirac_operator says which M is meant. Each alternative has only the parameters of its
/// operator.
///
///     Wilson     M psi(x) = (4+m) psi(x) - 1/2 sum_mu [(1-g_mu) U_mu(x) psi(x+mu)
///                                                      + (1+g_mu) U_mu^+(x-mu) psi(x-mu)]
///     clover     Wilson - (csw/2) sum_{mu<nu} sigma_mu_nu F_mu_nu(x), sigma = (i/2) [g_mu, g_nu],
///                F = -(i/8) (Q - Q^+), Q the sum of the four plaquettes at x, all anticlockwise
///     staggered  M chi(x) = m chi(x) + 1/2 sum_mu eta_mu(x) [U_mu(x) chi(x+mu)
///                                                            - U_mu^+(x-mu) chi(x-mu)]
///     asqtad,    M chi(x) = m chi(x) + 1/2 sum_mu eta_mu(x) [F_mu(x) chi(x+mu)
///     hisq           - F_mu^+(x-mu) chi(x-mu) + N_mu(x) chi(x+3mu) - N_mu^+(x-3mu) chi(x-3mu)],
///                F and N as in improved_links.hpp
///
/// A twisted mass adds i mu gamma_5 to Wilson and clover. mu stands for the flavour tau_3 = +1 in
/// the twisted basis, and -mu for the other flavour. M(mu)^+ = gamma_5 M(-mu) gamma_5.
///
/// The spin basis is DeGrand-Rossi, gamma_5 = diag(1,1,-1,-1); eta = 1, (-1)^x, (-1)^(x+y),
/// (-1)^(x+y+z); kappa = 1/(2(4+m)). Solutions are in the mass normalisation.

#include <onehop/detail/language.hpp>

#include <variant>

namespace onehop {

/// The operators are listed in the order of dirac_operator's alternatives.
enum class dslash { wilson, clover, staggered, asqtad, hisq };

/// These are the parameters of the Wilson operator: `mass` is m in lattice units, `mu` is the
/// twisted mass.
struct wilson {
  double mass = 0;
  double mu = 0;
};
struct clover {
  double mass = 0;
  double csw = 1;  ///< coefficient of the clover term; the default is its tree-level value
  double mu = 0;
};
struct staggered {
  double mass = 0;
};
struct asqtad {
  double mass = 0;
  double u0 = 1;  ///< tadpole factor of the path coefficients
};
struct hisq {
  double mass = 0;
  double naik_epsilon = 0;  ///< correction of the Naik term for heavy quarks, see hisq_coefficients
};
using dirac_operator = std::variant<wilson, clover, staggered, asqtad, hisq>;

constexpr dslash kind_of(const dirac_operator& dirac) noexcept {
  return static_cast<dslash>(dirac.index());
}
constexpr double mass_of(const dirac_operator& dirac) {
  return std::visit([](const auto& one) { return one.mass; }, dirac);
}
/// Returns the coefficient of the clover term, 0 for an operator that has none.
constexpr double csw_of(const dirac_operator& dirac) noexcept {
  const auto* found = std::get_if<clover>(&dirac);
  return found ? found->csw : 0.0;
}
/// Returns the twisted mass, 0 for an operator that has none.
constexpr double mu_of(const dirac_operator& dirac) noexcept {
  if (const auto* found = std::get_if<wilson>(&dirac)) return found->mu;
  const auto* found = std::get_if<clover>(&dirac);
  return found ? found->mu : 0.0;
}
/// Returns the operator of a kind with its default parameters, except for the mass.
dirac_operator operator_of(dslash kind, double mass = 0);
/// Returns the operator with another mass and all other parameters unchanged.
constexpr dirac_operator with_mass(dirac_operator dirac, double mass) {
  std::visit([mass](auto& one) { one.mass = mass; }, dirac);
  return dirac;
}
/// Returns m = 1/(2 kappa) - 4. Throws usage_error unless kappa is positive.
double kappa_to_mass(double kappa);

/// Returns whether M hops along fat links and has a three-link term.
constexpr bool is_improved(dslash kind) noexcept {
  return kind == dslash::asqtad || kind == dslash::hisq;
}
/// Returns whether M has one spin component and an antihermitian hopping term.
constexpr bool is_staggered(dslash kind) noexcept {
  return kind == dslash::staggered || is_improved(kind);
}
/// Returns how many sites a hop reaches.
constexpr int reach(dslash kind) noexcept { return is_improved(kind) ? 3 : 1; }

/// Returns the number of complex numbers per site: 12 (spin, colour) for Wilson and clover, 3 for
/// all staggered operators.
int components(dslash kind) noexcept;

}  // namespace onehop
