#pragma once
/// A diagonal is the site-diagonal part of M, and its inverse, in device memory.

#include "dirac/device/field.hpp"
#include "dirac/site_diagonal.hpp"
#include "lattice/lane_layout.hpp"

#include <array>
#include <optional>

namespace onehop::device {

/// It holds what onehop::site_diagonal computes; in 16 bits each chiral block has its own scale.
class diagonal {
 public:
  /// The constructor is collective and throws what site_diagonal throws. `layout` has one lane;
  /// `where` must outlive this object.
  diagonal(backend& where, stream& on, const lane_layout& layout, const gauge_field& links,
           const dirac_operator& dirac, int threads, field_precision kind);

  /// Returns D or D^+ on sites of `parity`.
  site_factor factor(int parity, bool dagger) const noexcept;
  /// Returns D^-1 or its adjoint on even sites.
  site_factor inverse(bool dagger) const noexcept;
  /// These return the bytes of this rank's blocks of D on one parity, and of D^-1; 0 for numbers.
  std::size_t bytes() const noexcept { return bytes_of(blocks_[0]); }
  std::size_t inverse_bytes() const noexcept { return bytes_of(inverse_); }

 private:
  /// There is a field for each chirality, and none if D is a number.
  using blocks = std::array<std::optional<field>, 2>;

  static std::size_t bytes_of(const blocks& of) noexcept {
    return of[0] ? of[0]->bytes() + of[1]->bytes() : 0;
  }
  static site_factor on_device(const onehop::site_factor& factor, const blocks& of) noexcept;
  static void upload(backend& where, stream& on, std::int32_t sites,
                     const onehop::site_factor& from, field_precision kind, blocks& to);

  onehop::site_factor numbers_[2], inverse_numbers_;  ///< the factors without their blocks
  std::array<blocks, 2> blocks_;                      ///< blocks by parity
  blocks inverse_;
};

}  // namespace onehop::device
