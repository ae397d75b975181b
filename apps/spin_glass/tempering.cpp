#include "tempering.hpp"

#include "random_uses.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

namespace spin_glass {

double swap_probability(const replica_state& a, const replica_state& b) {
  return std::exp(std::min(0.0, (a.beta - b.beta) * (a.energy - b.energy)));
}

tempering::tempering(std::vector<double> betas, std::uint64_t seed)
    : betas_(std::move(betas)),
      seed_(seed),
      places_(betas_.size()),
      replicas_(betas_.size()),
      pairs_(betas_.empty() ? 0 : betas_.size() - 1) {
  if (betas_.empty()) throw onehop::usage_error("there are no betas");
  if (!std::ranges::all_of(betas_, [](double b) { return std::isfinite(b) && b >= 0; }))
    throw onehop::usage_error("a beta is below 0 or not finite");
  if (std::ranges::adjacent_find(betas_, std::greater_equal()) != betas_.end())
    throw onehop::usage_error("betas are not ascending");
  std::iota(places_.begin(), places_.end(), std::size_t{0});
  std::iota(replicas_.begin(), replicas_.end(), std::size_t{0});
}

std::vector<double> tempering::betas_of_replicas() const {
  std::vector<double> found;
  for (const std::size_t place : places_) found.push_back(betas_[place]);
  return found;
}

void tempering::exchange(std::span<const double> energies) {
  if (energies.size() != betas_.size())
    throw onehop::usage_error("there are " + std::to_string(betas_.size()) + " replicas, but " +
                              std::to_string(energies.size()) + " energies");
  for (std::size_t low = exchanges_ % 2; low + 1 < betas_.size(); low += 2) {
    std::size_t &cooler = replicas_[low + 1], &warmer = replicas_[low];
    const double u = onehop::site_random(seed_, random_exchange, exchanges_, low).uniform_pair()[0];
    ++pairs_[low].tried;
    if (u >= swap_probability({betas_[low], energies[warmer]}, {betas_[low + 1], energies[cooler]}))
      continue;
    ++pairs_[low].swapped;
    std::swap(warmer, cooler);
    places_[warmer] = low, places_[cooler] = low + 1;
  }
  ++exchanges_;
}

}  // namespace spin_glass
