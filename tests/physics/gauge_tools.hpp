#pragma once
/// The tests of gauge fields share these.

#include <onehop/gauge_field.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "gauge/su3.hpp"

namespace onehop::tests {

/// A measured value has an error from averages over bins of neighbouring values, so that the
/// correlation of a Markov chain is in it.
struct measured {
  double mean, error;
};
inline measured binned(const std::vector<double>& values, std::size_t bin) {
  const std::size_t bins = values.size() / bin;
  double sum = 0, squares = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    double of_bin = 0;
    for (std::size_t k = 0; k < bin; ++k) of_bin += values[b * bin + k] / static_cast<double>(bin);
    sum += of_bin;
    squares += of_bin * of_bin;
  }
  const auto n = static_cast<double>(bins);
  const double mean = sum / n;
  return {mean, std::sqrt((squares / n - mean * mean) / (n - 1))};
}

/// Sets U_mu(x) := G(x) U_mu(x) G^+(x+mu) with G drawn from the Haar measure.
inline void transform_randomly(gauge_field& links, std::uint64_t seed) {
  const geometry& block = links.geometry();
  gauge_field random(block);
  set_hot(random, seed);
  for (std::size_t k = 0; k < block.local_volume(); ++k)
    for (int mu = 0; mu < 4; ++mu) {
      const coordinate x = block.local_site(k);
      coordinate forward = x;
      ++forward[static_cast<std::size_t>(mu)];
      links.link(mu, x) = su3::multiply_adjoint(su3::multiply(random.link(0, x), links.link(mu, x)),
                                                random.link(0, forward));
    }
  links.exchange_ghosts();
}

/// A snapshot has all links by global index, and the averages, which have to be the same bits on
/// every grid.
struct snapshot {
  std::vector<colour_matrix> links;
  std::vector<double> averages;
  bool operator==(const snapshot&) const = default;
};

inline snapshot snapshot_on(const coordinate& lattice, const coordinate& grid,
                            const std::function<void(gauge_field&)>& make) {
  const std::size_t ranks = volume(grid);
  snapshot all{std::vector<colour_matrix>(4 * volume(lattice)), {}};
  std::vector<std::vector<double>> averages(ranks);
  run_on_threads(static_cast<int>(ranks), [&](context ctx) {
    const geometry block(ctx, lattice, grid);
    gauge_field links(block);
    make(links);
    for (std::size_t k = 0; k < block.local_volume(); ++k) {
      const coordinate site = block.local_site(k);
      const std::size_t global = block.global_index(block.global_site(site));
      for (std::size_t mu = 0; mu < 4; ++mu)
        all.links[4 * global + mu] = links.link(static_cast<int>(mu), site);
    }
    const auto p = plaquette(links);
    averages[static_cast<std::size_t>(ctx.rank())] = {p.mean, p.spatial, p.temporal,
                                                      link_trace(links), check_links(links)};
  });
  for (const auto& of_rank : averages) BOOST_TEST((of_rank == averages[0]));
  all.averages = averages[0];
  return all;
}

/// Returns grids of one, two and four ranks; local extents go down to one.
inline std::vector<coordinate> grids_of_4x4x4x4() {
  return {{1, 1, 1, 2}, {2, 1, 1, 1}, {1, 1, 2, 2}, {2, 2, 1, 1}, {1, 1, 1, 4}, {1, 4, 1, 1}};
}

/// haar_moments are averages over all links of one rank's field.
struct haar_moments {
  std::size_t links = 0;
  double trace = 0;      ///< Re tr U, 0 for the Haar measure
  double square = 0;     ///< |tr U|^2, 1 for the Haar measure
  double cube = 0;       ///< Re (tr U)^3, 1 for the Haar measure
  double fourth = 0;     ///< |tr U|^4, 2 for the Haar measure
  double plaquette = 0;  ///< mean plaquette, 0 for the Haar measure
};

inline haar_moments moments_of(const gauge_field& links) {
  haar_moments m;
  const geometry& block = links.geometry();
  m.links = 4 * block.local_volume();
  const auto n = static_cast<double>(m.links);
  for (std::size_t k = 0; k < block.local_volume(); ++k)
    for (int mu = 0; mu < 4; ++mu) {
      const colour_matrix& u = links.link(mu, block.local_site(k));
      const std::complex<double> trace = u[0] + u[4] + u[8];
      m.trace += trace.real() / n;
      m.square += std::norm(trace) / n;
      m.cube += (trace * trace * trace).real() / n;
      m.fourth += std::norm(trace) * std::norm(trace) / n;
    }
  m.plaquette = plaquette(links).mean;
  return m;
}

/// The variances follow from the numbers of singlets: <|tr|^4> is 2, <|tr|^6> is 6, <|tr|^8> is 23.
inline void check_haar(const haar_moments& m) {
  const auto n = static_cast<double>(m.links);
  BOOST_TEST(std::abs(m.trace) < 4 * std::sqrt(0.5 / n));
  BOOST_TEST(std::abs(m.square - 1) < 4 * std::sqrt(1 / n));
  BOOST_TEST(std::abs(m.cube - 1) < 4 * std::sqrt(5 / n));
  BOOST_TEST(std::abs(m.fourth - 2) < 4 * std::sqrt(19 / n));
  // There are six planes for four links.
  BOOST_TEST(std::abs(m.plaquette) < 4 * std::sqrt(0.5 / 9 / (1.5 * n)));
}

}  // namespace onehop::tests
