#pragma once
/// This file makes new links from old ones, for a whole block at once.

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "gauge/neighbour_links.hpp"

namespace onehop {

/// Sets `to` to make(mu, x) for all links of the block in the first `dimensions` directions. `make`
/// may read `to` itself, which still has its old contents.
///
/// Throws numeric_error on every rank naming the first link for which make returns no value.
template <class Make>
void make_links(gauge_field& to, std::size_t dimensions, std::string_view what, const Make& make) {
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  const geometry& block = to.geometry();
  const halo_layout layout = links_layout(block);
  std::vector<colour_matrix> made;
  made.reserve(dimensions * block.local_volume());
  std::uint64_t bad = none;
  for (std::size_t mu = 0; mu < dimensions; ++mu)
    for_each_site(block, [&](const coordinate& site) {
      const auto link = make(mu, static_cast<std::ptrdiff_t>(layout.index(site)));
      if (!link) bad = std::min<std::uint64_t>(bad, block.global_index(block.global_site(site)));
      made.push_back(link.value_or(colour_matrix{}));
    });
  const auto all = allgather(block.context(), bad);
  bad = *std::min_element(all.begin(), all.end());
  if (bad != none)
    throw numeric_error(text(what, ": the smeared link of site number ", bad, " of lattice ",
                             to_string(block.lattice()),
                             " has no nearest unitary matrix; check the configuration, or use "
                             "smaller parameters"));
  auto next = made.begin();
  for (std::size_t mu = 0; mu < dimensions; ++mu) {
    for_each_site(block, [&](const coordinate& site) {
      to.data()[mu * layout.volume() + layout.index(site)] = *next++;
    });
    to.exchange_ghosts(static_cast<int>(mu));
  }
}

}  // namespace onehop
