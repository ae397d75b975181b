#pragma once
/// Random configurations are made here, with slow observables of them.

#include <cstdint>
#include <vector>

#include "io/site_block.hpp"

namespace samples {

using onehop::io::lattice_site;
using onehop::io::link_matrix;
using onehop::io::site_block;

struct configuration {
  lattice_site extents{};
  std::vector<link_matrix> links;  ///< links by site, x fastest, then mu

  configuration() = default;
  explicit configuration(const lattice_site& extents);
  std::size_t index(const lattice_site& site, int mu) const;
  const link_matrix& link(lattice_site site, int mu) const;  ///< link of a site, taken periodically
  link_matrix& link(lattice_site site, int mu);
  bool operator==(const configuration&) const = default;
};

/// Returns SU(3) matrices; `bits` 32 rounds the entries to float.
configuration random_configuration(const lattice_site& extents, std::uint64_t seed, int bits = 64);
double plaquette(const configuration& links);
double link_trace(const configuration& links);

/// Makes the third row the conjugate of the cross product of the others.
void set_third_row(link_matrix& u);

}  // namespace samples
