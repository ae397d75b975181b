#include "links.hpp"

#include <algorithm>

namespace onehop::reference {

gauge_field fermion_links(const gauge_field& links, bool antiperiodic) {
  const geometry& g = links.geometry();
  gauge_field copy(g);
  std::ranges::copy(links.data(), copy.data().begin());
  if (!antiperiodic) return copy;
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    const coordinate site = g.local_site(k);
    if (g.global_site(site)[3] != g.lattice()[3] - 1) continue;
    for (auto& entry : copy.link(3, site)) entry = -entry;
  }
  copy.exchange_ghosts(3);
  return copy;
}

}  // namespace onehop::reference
