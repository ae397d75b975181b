#pragma once
/// A link_field holds the links as the kernels read them.

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

/// A link_field has one block per link, [parity][vector][turn]: a hop reads one stream from
/// beginning to end. Each link is therefore stored twice, once ahead of a site and once behind
/// another. Stored once, the links are eight streams, which hardware prefetchers follow less well.
/// If fitting in a cache matters more, hops to odd sites read the links of the even sites.
///
/// The boundary phase in time and, for staggered fermions, eta_mu(x) are multiplied in. Three-site
/// links have a field of their own.
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
  /// Returns the number of these signs among the few combinations that occur: each lane is at the
  /// end of time or not, and all lanes have the same eta.
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

/// Returns the factor, boundary and eta, of the link that leaves local site `x` (which may be a
/// ghost) forward in direction mu and spans `distance` sites. On short lattices it may cross the
/// end of time more than once.
double hop_sign(const geometry& geometry, dslash kind, bool antiperiodic, int mu, int distance,
                const coordinate& x);

/// Returns the unit of 16-bit links: 1 for links of SU(3), otherwise the largest entry of all
/// ranks. Collective.
double fixed_scale(const hop_links& links, int distance);

/// Returns eta_mu(x) of staggered fermions: 1, (-1)^x, (-1)^(x+y), (-1)^(x+y+z).
int staggered_phase(int mu, const coordinate& global) noexcept;

/// Returns, over this rank's links, the largest difference between an entry of U and its
/// reconstruction from 12 reals, and of U^+ U from 1: zero up to rounding for links of SU(3).
double distance_from_su3(const gauge_field& links);

}  // namespace onehop
