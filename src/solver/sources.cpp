#include <onehop/random.hpp>
#include "base/text.hpp"

#include <onehop/error.hpp>
#include <onehop/source.hpp>

#include <algorithm>
#include <cmath>

#include "solver/requirements.hpp"

namespace onehop {
namespace {

/// Calls `fill(local index)` for this rank's sites of a time slice.
template <class Fill>
void on_time_slice(const geometry& geometry, int t, const Fill& fill) {
  require_time_slice(geometry, t);
  for (std::size_t k = 0; k < geometry.local_volume(); ++k) {
    if (geometry.global_site(geometry.local_site(k))[3] == t) fill(k);
  }
}

void require_room(const geometry& geometry, int component, int components,
                  std::span<const std::complex<double>> source) {
  if (component < 0 || component >= components)
    throw usage_error(text("a source of component ", component, " of a field with ", components,
                           "; use 0 to ", components - 1));
  const std::size_t wanted = geometry.local_volume() * static_cast<std::size_t>(components);
  if (source.size() != wanted)
    throw usage_error(text("a source in ", source.size(), " complex numbers; block ",
                           to_string(geometry.local()), " with ", components, " components needs ",
                           wanted));
}

}  // namespace

void point_source(const geometry& geometry, const coordinate& site, int component, int components,
                  std::span<std::complex<double>> source) {
  require_room(geometry, component, components, source);
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

void wall_source(const geometry& geometry, int t, int component, int components,
                 std::span<std::complex<double>> source) {
  require_room(geometry, component, components, source);
  std::ranges::fill(source, std::complex<double>());
  on_time_slice(geometry, t, [&](std::size_t k) { source[k * components + component] = 1.0; });
}

void noise_wall_source(const geometry& geometry, int t, std::uint64_t seed, int spin,
                       int components, std::span<std::complex<double>> source) {
  require_room(geometry, 3 * spin, components, source);
  std::ranges::fill(source, std::complex<double>());
  const auto sign = [](double uniform) { return std::copysign(std::sqrt(0.5), uniform - 0.5); };
  on_time_slice(geometry, t, [&](std::size_t k) {
    const coordinate global = geometry.global_site(geometry.local_site(k));
    site_random random(seed, random_use::noise_wall, 0, geometry.global_index(global));
    for (int colour = 0; colour < 3; ++colour) {
      const auto [re, im] = random.uniform_pair();
      source[k * components + 3 * spin + colour] = {sign(re), sign(im)};
    }
  });
}

void random_source(const geometry& geometry, std::uint64_t seed, int components,
                   std::span<std::complex<double>> source) {
  require_room(geometry, 0, components, source);
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
