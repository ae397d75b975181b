#pragma once
/// A site_diagonal is the site-diagonal part of M, and its inverse.

#include "dirac/kernel_table.hpp"
#include "lattice/lane_field.hpp"
#include "machine/thread_team.hpp"

#include <onehop/dirac_operator.hpp>
#include <onehop/gauge_field.hpp>

#include <array>
#include <optional>

namespace onehop {

/// A site_diagonal is the D of M = D + c H. Wilson 4 + m and staggered m are a number. With a
/// twisted mass, d + i mu gamma_5, it is a number for each chirality. Clover has a hermitian 6x6
/// block B for each chirality and site, 36 reals. With twisted mass it is B + i mu gamma_5, whose
/// inverse is not hermitian and is kept as a general block of 72 reals; the alternative of the same
/// size, (B^2 + mu^2)^-1 and B, takes twice the flops.
///
/// Blocks have the precision of the fields. In half precision each has its own scale: its error
/// relative to the largest entry is then as large as the error of a spinor relative to its largest
/// component.
class site_diagonal {
 public:
  /// The inverse is known on this parity.
  static constexpr int inverted = 0;

  /// The constructor is collective. `links` must have valid ghosts and is not kept. Throws
  /// usage_error if D is a number and zero. If a block has no inverse, every rank throws
  /// usage_error naming its site and chirality, or numeric_error if that block is not finite.
  site_diagonal(const gauge_field& links, const dirac_operator& dirac, const lane_layout& layout,
                field_precision kind, thread_team& team);

  /// Returns D or D^+ on sites of `parity`.
  site_factor factor(int parity, bool dagger) const noexcept;
  /// Returns D^-1 or its adjoint on sites of parity `inverted`.
  site_factor inverse(bool dagger) const noexcept;

  /// These return the bytes of this rank's blocks of D on one parity, and of D^-1; 0 for numbers.
  std::size_t bytes() const noexcept { return blocks_[0] ? blocks_[0]->bytes() : 0; }
  std::size_t inverse_bytes() const noexcept { return inverse_ ? inverse_->bytes() : 0; }

 private:
  void make_blocks(const gauge_field& links, double csw, const lane_layout& layout,
                   thread_team& team);

  double number_, twist_;
  std::array<std::optional<lane_field>, 2> blocks_;
  std::optional<lane_field> inverse_;
};

/// Returns the stated count of flops of a multiplication per site, for a site_factor of the host or
/// of a device: 504 for blocks, 552 for general ones; 72 for a twisted number and 48 for a twist
/// beside blocks. Plain numbers are counted where fields are scaled.
template <class Factor>
double flops_per_site(const Factor& factor) noexcept {
  if (factor.is_number()) return 0;
  if (!factor.has_blocks()) return 72;
  return (factor.general ? 552 : 504) + (factor.twist != 0 ? 48 : 0);
}
/// Returns the number of reals in the blocks of a site.
double reals_per_site(const site_factor& factor) noexcept;

}  // namespace onehop
