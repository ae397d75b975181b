#include "whole_lattice.hpp"

#include <onehop/collectives.hpp>

namespace onehop::reference {
namespace {

coordinate position_of(const geometry& g, int rank) {
  coordinate p{};
  for (p[3] = 0; p[3] < g.grid()[3]; ++p[3])
    for (p[2] = 0; p[2] < g.grid()[2]; ++p[2])
      for (p[1] = 0; p[1] < g.grid()[1]; ++p[1])
        for (p[0] = 0; p[0] < g.grid()[0]; ++p[0])
          if (g.rank_at(p) == rank) return p;
  return p;
}

coordinate moved(coordinate site, const coordinate& by) {
  for (int mu = 0; mu < 4; ++mu) site[mu] += by[mu];
  return site;
}

}  // namespace

std::size_t whole_lattice::index(int mu, const coordinate& site) const {
  std::size_t k = 0;
  for (int nu = 3; nu >= 0; --nu)
    k = k * extents_[nu] + (site[nu] % extents_[nu] + extents_[nu]) % extents_[nu];
  return 4 * k + mu;
}

whole_lattice::whole_lattice(const gauge_field& links) : whole_lattice(links.geometry().lattice()) {
  const geometry& g = links.geometry();
  std::vector<colour_matrix> mine, all(links_.size());
  for (std::size_t k = 0; k < g.local_volume(); ++k)
    for (int mu = 0; mu < 4; ++mu) mine.push_back(links.link(mu, g.local_site(k)));
  allgather(g.context(), std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  for (int rank = 0; rank < g.context().size(); ++rank) {
    coordinate origin = position_of(g, rank);
    for (int mu = 0; mu < 4; ++mu) origin[mu] *= g.local()[mu];
    for (std::size_t k = 0; k < g.local_volume(); ++k)
      for (int mu = 0; mu < 4; ++mu)
        link(mu, moved(g.local_site(k), origin)) = all[mine.size() * rank + 4 * k + mu];
  }
}

gauge_field whole_lattice::part(const geometry& g) const {
  gauge_field result(g);
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    const coordinate x = g.local_site(k);
    for (int mu = 0; mu < 4; ++mu) result.link(mu, x) = link(mu, g.global_site(x));
  }
  result.exchange_ghosts();
  return result;
}

colour_matrix product_along(const whole_lattice& u, coordinate site, std::span<const int> steps) {
  colour_matrix product{};
  for (int a = 0; a < 3; ++a) product[4 * a] = 1;
  for (const int step : steps) {
    const int mu = std::abs(step) - 1;
    if (step < 0) --site[mu];
    const colour_matrix& link = u.link(mu, site);
    colour_matrix next{};
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        for (int c = 0; c < 3; ++c)
          next[3 * a + b] +=
              product[3 * a + c] * (step < 0 ? std::conj(link[3 * b + c]) : link[3 * c + b]);
    product = next;
    if (step > 0) ++site[mu];
  }
  return product;
}

}  // namespace onehop::reference
