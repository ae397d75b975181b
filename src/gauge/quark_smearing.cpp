#include <onehop/quark_smearing.hpp>

#include <onehop/error.hpp>
#include <onehop/halo_exchange.hpp>

#include <array>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "gauge/neighbour_links.hpp"

namespace onehop {
namespace {

using complex = std::complex<double>;

template <std::size_t components>
using spinor = std::array<complex, components>;

/// Adds to += U from, for each spin.
template <std::size_t components>
void add_ahead(spinor<components>& to, const colour_matrix& u,
               const spinor<components>& from) noexcept {
  for (std::size_t s = 0; s < components; s += 3)
    for (std::size_t a = 0; a < 3; ++a)
      to[s + a] += su3::times(u[3 * a], from[s]) + su3::times(u[3 * a + 1], from[s + 1]) +
                   su3::times(u[3 * a + 2], from[s + 2]);
}

/// Adds to += U^+ from, for each spin.
template <std::size_t components>
void add_behind(spinor<components>& to, const colour_matrix& u,
                const spinor<components>& from) noexcept {
  for (std::size_t s = 0; s < components; s += 3)
    for (std::size_t a = 0; a < 3; ++a)
      to[s + a] += su3::times_conj(from[s], u[a]) + su3::times_conj(from[s + 1], u[3 + a]) +
                   su3::times_conj(from[s + 2], u[6 + a]);
}

template <std::size_t components>
void smear(const gauge_field& links, double kappa, int steps, std::span<complex> fields) {
  const geometry& block = links.geometry();
  const neighbour_links u(links);
  halo_field<spinor<components>> padded(block, {.sides = {{1, 1}, {1, 1}, {1, 1}, {0, 0}}});
  halo_exchange ghosts(padded);
  const std::span<spinor<components>> psi = padded.data();
  std::vector<spinor<components>> smeared(block.local_volume());
  const double scale = 1 / (1 + 6 * kappa);
  const std::size_t size = block.local_volume() * components;
  for (std::size_t begin = 0; begin < fields.size(); begin += size) {
    const std::span<complex> field = fields.subspan(begin, size);
    auto number = field.begin();
    for_each_site(block, [&](const coordinate& site) {
      for (complex& component : padded[site]) component = *number++;
    });
    for (int step = 0; step < steps; ++step) {
      ghosts.exchange();
      auto next = smeared.begin();
      for_each_site(block, [&](const coordinate& site) {
        const auto x = static_cast<std::ptrdiff_t>(u.layout().index(site));
        // Steps in space are the same with ghosts in t, which the links have, as without.
        const auto y = static_cast<std::ptrdiff_t>(padded.layout().index(site));
        spinor<components> sum{};
        for (std::size_t j = 0; j < 3; ++j) {
          add_ahead(sum, u(j, x), psi[static_cast<std::size_t>(y + u.step(j))]);
          add_behind(sum, u(j, x - u.step(j)), psi[static_cast<std::size_t>(y - u.step(j))]);
        }
        const spinor<components>& here = psi[static_cast<std::size_t>(y)];
        for (std::size_t c = 0; c < components; ++c)
          (*next)[c] = scale * (here[c] + kappa * sum[c]);
        ++next;
      });
      next = smeared.begin();
      for_each_site(block, [&](const coordinate& site) { padded[site] = *next++; });
    }
    number = field.begin();
    for_each_site(block, [&](const coordinate& site) {
      for (const complex& component : padded[site]) *number++ = component;
    });
  }
}

}  // namespace

void smear_wuppertal(const gauge_field& links, double kappa, int steps, int components,
                     std::span<complex> fields) {
  if (!(kappa >= 0) || !std::isfinite(kappa))
    throw usage_error(text("Wuppertal smearing with kappa ", kappa, "; use a number from 0 up"));
  if (steps < 0) throw usage_error(text("Wuppertal smearing in ", steps, " steps; use 0 or more"));
  if (components != 12 && components != 3)
    throw usage_error(text("a quark field of ", components, " components a site; use 12 or 3"));
  const std::size_t size = links.geometry().local_volume() * static_cast<std::size_t>(components);
  if (fields.size() % size != 0)
    throw usage_error(text("fields of ", fields.size(), " complex numbers were given; block ",
                           to_string(links.geometry().local()), " with ", components,
                           " components needs ", size, " for each"));
  if (components == 12)
    smear<12>(links, kappa, steps, fields);
  else
    smear<3>(links, kappa, steps, fields);
}

}  // namespace onehop
