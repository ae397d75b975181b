#pragma once
/// The reference has every operator once more, from its formula, one site after the other.
///
/// Shares nothing with the fast operators but the links, the halo exchange and, where it is given
/// one, the team of threads, which must outlive the operator. Each site is computed by one
/// thread, so that no bit depends on how many there are.

#include "colour.hpp"
#include "machine/thread_team.hpp"
#include "spin_lanes.hpp"

#include <onehop/gauge_field.hpp>
#include <onehop/halo_exchange.hpp>

#include <array>
#include <complex>
#include <span>
#include <vector>

namespace onehop::reference {

/// The Wilson operator is M psi(x) = (4+m) psi(x) - 1/2 sum_mu [(1-g_mu) U_mu(x) psi(x+mu) +
/// (1+g_mu) U_mu^+(x-mu) psi(x-mu)], with twisted mass + i mu gamma_5 psi(x).
class wilson {
 public:
  /// The constructor is collective and copies the links, whose ghosts must be valid.
  wilson(const gauge_field& links, double mass, bool antiperiodic, double mu = 0,
         thread_team* team = nullptr);

  /// Computes out = M in or M^+ in, for canonical fields of local_volume * 12 numbers. Collective.
  void apply(std::span<const complex> in, std::span<complex> out, bool dagger = false);

 private:
  gauge_field links_;
  double mass_, mu_;
  halo_field<spin_lanes> psi_;
  halo_exchange ghosts_;
  thread_team* team_;
};

/// The clover operator is Wilson - (csw/2) sum_{mu<nu} sigma_mu_nu F_mu_nu(x), with sigma = (i/2)
/// [g_mu, g_nu], F = -(i/8) (Q - Q^+), and Q the sum of the four plaquettes at x.
class clover {
 public:
  /// The constructor is collective and copies the links, whose ghosts must be valid.
  clover(const gauge_field& links, double mass, double csw, bool antiperiodic, double mu = 0,
         thread_team* team = nullptr);

  /// Computes out = M in or M^+ in, for canonical fields of local_volume * 12 numbers. Collective.
  void apply(std::span<const complex> in, std::span<complex> out, bool dagger = false);

 private:
  wilson wilson_;
  double csw_;
  thread_team* team_;
  std::vector<std::array<colour_matrix, 6>> strength_;  ///< F_xy, xz, xt, yz, yt, zt at each site
};

/// The staggered operator is M chi(x) = m chi(x) + 1/2 sum_mu eta_mu(x) [U_mu(x) chi(x+mu) -
/// U_mu^+(x-mu) chi(x-mu)].
class staggered {
 public:
  /// The constructor is collective and copies the links, whose ghosts must be valid.
  staggered(const gauge_field& links, double mass, bool antiperiodic, thread_team* team = nullptr);

  /// Computes out = M in or M^+ in, for canonical fields of local_volume * 3 numbers. Collective.
  void apply(std::span<const complex> in, std::span<complex> out, bool dagger = false);

 private:
  gauge_field links_;
  double mass_;
  halo_field<colour_vector> chi_;
  halo_exchange ghosts_;
  thread_team* team_;
};

/// The improved staggered operator is M chi(x) = m chi(x) + 1/2 sum_mu eta_mu(x) [F_mu(x) chi(x+mu)
/// - F_mu^+(x-mu) chi(x-mu) + N_mu(x) chi(x+3mu) - N_mu^+(x-3mu) chi(x-3mu)]. Chi travels one site
/// at a time and changes sign where it passes the end of time; the links keep their signs.
class improved_staggered {
 public:
  /// The constructor is collective and copies the links F and N.
  improved_staggered(const gauge_field& fat, const gauge_field& naik, double mass,
                     bool antiperiodic, thread_team* team = nullptr);

  /// Computes out = M in or M^+ in, for canonical fields of local_volume * 3 numbers. Collective.
  void apply(std::span<const complex> in, std::span<complex> out, bool dagger = false);

 private:
  using vectors = halo_field<colour_vector>;
  /// What moves along one direction, with ghosts in this direction alone.
  struct line {
    int mu;
    vectors ahead, behind, moved;
    line(const geometry& g, int along);
  };

  void shift(line& along, vectors& field, int sign);
  void add_hop(line& along, const gauge_field& links, int distance, double factor,
               std::span<const complex> in, std::span<complex> out);

  gauge_field fat_, naik_;
  double mass_;
  bool antiperiodic_;
  std::vector<halo_exchange> ghosts_;  ///< exchange for the line of each direction
  thread_team* team_;
};

}  // namespace onehop::reference
