#pragma once
/// A link_field has the links as the kernels read them.

#include "dirac/hop_links.hpp"
#include "dirac/kernel_table.hpp"
#include "lattice/aligned_memory.hpp"
#include "lattice/field_precision.hpp"
#include "lattice/lane_layout.hpp"

#include <onehop/dirac_operator.hpp>
#include <onehop/gauge_field.hpp>

#include <array>
#include <vector>

namespace onehop {

/// A link_field has one block per link, [parity][vector][turn]: a hop reads one stream from its
/// beginning to its end. For that each link is stored twice, as one ahead of a site and as one
/// behind another. Stored once, links are eight streams, which prefetching processors follow less
/// well. Where it matters more that they fit a cache, hops to odd sites read those of the even
/// ones.
///
/// The boundary phase in time and, for staggered fermions, eta_mu(x) are multiplied in. Links of
/// three sites have a field of their own.
class link_field {
 public:
  /// The constructor is collective. It takes the links that span `distance` sites; `recon` is 18,
  /// 12 or 8.
  link_field(const lane_layout& layout, const hop_links& links, int distance, dslash kind,
             bool antiperiodic, field_precision format, int recon);

  /// Returns what a hop to sites of `parity` reads.
  link_view view(int parity) const noexcept;
  /// Returns the bytes that a hop to all sites of a parity reads.
  std::size_t bytes_per_hop() const noexcept { return block_bytes_ * hop_links_; }

 private:
  void write_block(std::size_t block, const std::vector<colour_matrix>& lanes,
                   const std::vector<double>& signs);
  /// Returns the number of these signs among the few that occur: lanes are at the end of time or
  /// not, and all have one eta.
  std::uint8_t sign_number(const std::vector<double>& signs);

  field_precision format_;
  int recon_, lanes_;
  std::size_t block_bytes_, hop_links_;
  double scale_;
  std::vector<std::uint8_t> sign_of_;
  std::vector<std::vector<double>> sign_lists_;
  std::vector<aligned_memory> sign_memory_;
  std::vector<const void*> sign_pointers_;
  aligned_memory blocks_;
};

/// Returns the factor of the link that leaves local site `x`, which may be a ghost, forward in
/// direction mu and spans `distance` sites: boundary and eta. On short lattices it may pass the end
/// of time more than once.
double hop_sign(const geometry& geometry, dslash kind, bool antiperiodic, int mu, int distance,
                const coordinate& x);

/// Returns the unit of links of 16 bits: 1 for links of SU(3), else the largest entry of all ranks.
/// Collective.
double fixed_scale(const hop_links& links, int distance);

/// Returns eta_mu(x) of staggered fermions: 1, (-1)^x, (-1)^(x+y), (-1)^(x+y+z).
int staggered_phase(int mu, const coordinate& global) noexcept;

/// Returns the largest difference of an entry of U from what 12 reals make of it, over this rank's
/// links, and of U^+ U from 1: zero for links of SU(3) up to rounding.
double distance_from_su3(const gauge_field& links);

}  // namespace onehop
