#pragma once
/// Parallel tempering lets replicas of a sample exchange their temperatures (Hukushima, Nemoto, J.
/// Phys. Soc. Jpn. 65 (1996) 1604).

#include <cstdint>
#include <span>
#include <vector>

namespace spin_glass {

/// A replica_state is the inverse temperature and the energy of a replica.
struct replica_state {
  double beta, energy;
};

/// Returns the probability with which two replicas exchange their temperatures, which is min(1,
/// exp((beta_a - beta_b) (E_a - E_b))). It keeps the product of their distributions, exp(-beta_a
/// E_a - beta_b E_b), in detailed balance.
double swap_probability(const replica_state& a, const replica_state& b);

/// Tempering knows which replica has which of several ascending inverse temperatures. Every rank
/// that passes the same energies computes the same exchanges, because random numbers are a function
/// of seed, exchange and pair; no member is collective.
class tempering {
 public:
  /// Replica k begins with beta k. Throws onehop::usage_error unless there is at least one beta and
  /// all are finite, at least 0 and ascending.
  tempering(std::vector<double> betas, std::uint64_t seed);

  /// Returns the betas by place.
  std::span<const double> betas() const noexcept { return betas_; }
  /// Returns the place of each replica.
  std::span<const std::size_t> places() const noexcept { return places_; }
  /// Returns the beta of each replica.
  std::vector<double> betas_of_replicas() const;

  /// Lets replicas at neighbouring places exchange their places: 0 and 1, 2 and 3, and so on, and
  /// in the next call 1 and 2, 3 and 4. Throws onehop::usage_error unless there is one energy for
  /// each replica.
  void exchange(std::span<const double> energies);

  /// These are the numbers of exchanges between places k and k + 1 so far.
  struct pair_counts {
    std::uint64_t tried = 0, swapped = 0;
  };
  std::span<const pair_counts> pairs() const noexcept { return pairs_; }

 private:
  std::vector<double> betas_;
  std::uint64_t seed_, exchanges_ = 0;
  std::vector<std::size_t> places_, replicas_;  ///< by replica, and by place
  std::vector<pair_counts> pairs_;
};

}  // namespace spin_glass
