#pragma once
/// The tests of Dirac operators and solvers share these.

#include <onehop/collectives.hpp>
#include <onehop/gauge_field.hpp>
#include <onehop/propagator.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "support/difference.hpp"

namespace onehop {
inline std::ostream& operator<<(std::ostream& out, overlap mode) {
  return out << (mode == overlap::none ? "none" : mode == overlap::fused ? "fused" : "faces");
}
}  // namespace onehop

namespace onehop::tests {

using fermion = std::vector<std::complex<double>>;

struct division {
  coordinate lattice, grid;
};

/// Returns the lattice whole and cut every way: extents of 2 and 6 that allow no or few lanes, odd
/// local extents, local extents of 1, a direction cut in two so that both neighbours are the same
/// rank. No division cuts blocks thinner than hops of this kind are long.
inline std::vector<division> divisions(dslash kind = dslash::wilson) {
  std::vector<division> all = {
      {{8, 8, 8, 8}, {1, 1, 1, 1}}, {{4, 6, 2, 8}, {1, 1, 1, 1}}, {{8, 4, 4, 8}, {1, 1, 1, 2}},
      {{8, 4, 4, 8}, {2, 1, 1, 1}}, {{8, 4, 8, 8}, {1, 1, 2, 2}}, {{4, 4, 4, 8}, {2, 2, 1, 1}},
      {{6, 2, 4, 4}, {2, 1, 1, 1}}, {{6, 6, 2, 2}, {2, 2, 1, 1}}, {{4, 4, 2, 2}, {1, 1, 2, 2}},
      {{4, 2, 2, 8}, {1, 1, 1, 4}}, {{2, 2, 2, 2}, {2, 2, 1, 1}}, {{2, 8, 2, 6}, {1, 1, 1, 3}}};
  std::erase_if(all, [kind](const division& d) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      if (d.grid[mu] > 1 && d.lattice[mu] / d.grid[mu] < reach(kind)) return true;
    }
    return false;
  });
  return all;
}

inline std::string name(const division& d) {
  return to_string(d.lattice) + " on " + to_string(d.grid);
}

/// Returns the largest of what `body` returns on the ranks.
inline double worst(int ranks, const std::function<double(context)>& body) {
  double result = 0;
  std::mutex guard;
  run_on_threads(ranks, [&](context ctx) {
    const double here = body(ctx);
    const std::lock_guard lock(guard);
    result = larger(result, here);
  });
  return result;
}
/// Returns the same for `body` with links that vary from site to site.
inline double worst(const division& d, const std::function<double(const gauge_field&)>& body) {
  return worst(static_cast<int>(volume(d.grid)), [&](context ctx) {
    gauge_field links(geometry(ctx, d.lattice, d.grid));
    set_hot(links, 5);
    links.exchange_ghosts();
    return body(links);
  });
}

/// Runs `body` on every rank with links that vary from site to site.
inline void on_division(const division& d, const std::function<void(const gauge_field&)>& body) {
  worst(d, [&](const gauge_field& links) {
    body(links);
    return 0.0;
  });
}

inline fermion noise(const geometry& g, int components, std::uint64_t seed) {
  fermion field(g.local_volume() * components);
  random_source(g, seed, components, field);
  return field;
}

inline fermion applied(propagator_solver& m, const fermion& in, bool dagger = false) {
  fermion out(in.size());
  m.apply(in, out, dagger);
  return out;
}

inline fermion times_gamma5(fermion psi) {
  for (std::size_t k = 0; k < psi.size(); ++k) {
    if (k % 12 >= 6) psi[k] = -psi[k];
  }
  return psi;
}

/// Returns <a, b>. Collective.
inline std::complex<double> scalar_product(const geometry& g, const fermion& a, const fermion& b) {
  std::array<double, 2> sums{};
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto product = std::conj(a[k]) * b[k];
    sums[0] += product.real();
    sums[1] += product.imag();
  }
  allreduce_sum(g.context(), sums);
  return {sums[0], sums[1]};
}

/// Copies this rank's sites to their global places.
inline void place(const geometry& g, const fermion& local, fermion& global) {
  const std::size_t n = local.size() / g.local_volume();
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    const std::size_t index = g.global_index(g.global_site(g.local_site(k)));
    std::copy_n(local.begin() + k * n, n, global.begin() + index * n);
  }
}

}  // namespace onehop::tests
