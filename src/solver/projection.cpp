#include "solver/projection.hpp"

#include <onehop/exact_sum.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "solver/requirements.hpp"

namespace onehop {
namespace {

using complex = std::complex<double>;

/// Returns e^(-2 pi i k / extent) for every k.
std::vector<complex> roots_of_one(int extent) {
  std::vector<complex> roots(extent);
  for (int k = 0; k < extent; ++k) {
    const double angle = -2 * std::numbers::pi * k / extent;
    roots[k] = {std::cos(angle), std::sin(angle)};
  }
  return roots;
}

/// A plane_wave is e^(-i p.(x - x0)), computed only from global coordinates so that no grid changes
/// a bit.
class plane_wave {
 public:
  plane_wave(const geometry& geometry, const coordinate& source, const momentum& p) : p_(p) {
    for (int i = 0; i < 3; ++i) {
      roots_[i] = roots_of_one(geometry.lattice()[i]);
      source_[i] = source[i];
    }
  }
  complex at(const coordinate& site) const { return root(0, site) * root(1, site) * root(2, site); }

 private:
  complex root(int i, const coordinate& site) const {
    const auto extent = static_cast<std::int64_t>(roots_[i].size());
    const std::int64_t k = std::int64_t{p_[i]} * (site[i] - source_[i]) % extent;
    return roots_[i][k < 0 ? k + extent : k];
  }

  momentum p_;
  std::array<int, 3> source_{};
  std::array<std::vector<complex>, 3> roots_;
};

/// Returns the sums of one kind over the time slices: [t].
void sum_slices(const geometry& geometry, int t_source, std::span<const complex> density,
                std::span<const complex> wave, std::span<complex> correlator) {
  require_time_slice(geometry, t_source);
  const int extent = geometry.lattice()[3];
  std::vector<exact_sum> sums(2 * static_cast<std::size_t>(extent));
  for (std::size_t k = 0; k < density.size(); ++k) {
    const int t = geometry.global_site(geometry.local_site(k))[3];
    const int slice = (t - t_source + extent) % extent;
    const complex term = density[k] * wave[k];
    sums[2 * slice].add(term.real());
    sums[2 * slice + 1].add(term.imag());
  }
  std::vector<double> results(sums.size());
  totals(geometry.context(), sums, results);
  for (int t = 0; t < extent; ++t) correlator[t] = {results[2 * t], results[2 * t + 1]};
}

}  // namespace

std::vector<complex> project(const geometry& geometry, const coordinate& source,
                             std::span<const std::vector<complex>> kinds,
                             std::span<const momentum> momenta) {
  const std::size_t extent = geometry.lattice()[3];
  std::vector<complex> correlators(kinds.size() * momenta.size() * extent);
  std::vector<complex> wave(geometry.local_volume());
  for (std::size_t p = 0; p < momenta.size(); ++p) {
    const plane_wave exact(geometry, source, momenta[p]);
    for (std::size_t k = 0; k < wave.size(); ++k) {
      wave[k] = exact.at(geometry.global_site(geometry.local_site(k)));
    }
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const std::size_t begin = (kind * momenta.size() + p) * extent;
      sum_slices(geometry, source[3], kinds[kind], wave,
                 std::span(correlators).subspan(begin, extent));
    }
  }
  return correlators;
}

}  // namespace onehop
