#include "base/philox.hpp"
#include "base/text.hpp"

#include <onehop/error.hpp>
#include <onehop/propagator.hpp>

#include <algorithm>
#include <cmath>

namespace onehop {

void point_source(const geometry& geometry, const coordinate& site, int component, int components,
                  std::span<std::complex<double>> source) {
  coordinate local{};
  bool mine = true;
  for (int mu = 0; mu < 4; ++mu) {
    if (site[mu] < 0 || site[mu] >= geometry.lattice()[mu]) {
      throw usage_error(text("source ", "xyzt"[mu], " ", site[mu], " is outside lattice ",
                             to_string(geometry.lattice()), "; use 0 to ",
                             geometry.lattice()[mu] - 1));
    }
    local[mu] = site[mu] - geometry.origin()[mu];
    mine = mine && local[mu] >= 0 && local[mu] < geometry.local()[mu];
  }
  std::ranges::fill(source, std::complex<double>());
  if (mine) source[geometry.local_index(local) * components + component] = 1.0;
}

void random_source(const geometry& geometry, std::uint64_t seed, int components,
                   std::span<std::complex<double>> source) {
  for (std::size_t k = 0; k < geometry.local_volume(); ++k) {
    const coordinate global = geometry.global_site(geometry.local_site(k));
    site_random random(seed, random_use::source, 0, geometry.global_index(global));
    for (int c = 0; c < components; ++c) {
      const auto [re, im] = random.gaussian_pair();
      source[k * components + c] = std::complex<double>(re, im) / std::sqrt(2.0);
    }
  }
}

}  // namespace onehop
