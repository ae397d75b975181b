#pragma once
/// A slice_counter checks that time slices come in order.

#include <onehop/error.hpp>

#include "base/text.hpp"
#include "io/site_block.hpp"

namespace onehop::io {

/// Its functions throw usage_error for a slice of the wrong size, and for one slice too many or too
/// few. Sizes are counted in items, of which a site has `per_site`.
class slice_counter {
 public:
  slice_counter(const lattice_site& lattice, std::size_t per_site)
      : lattice_(lattice), per_site_(per_site) {
    for (const int extent : lattice) {
      if (extent < 1) throw usage_error(text("lattice ", extents_text(lattice), " has no sites"));
    }
  }

  const lattice_site& lattice() const noexcept { return lattice_; }
  std::uint64_t sites() const noexcept {
    return site_count({lattice_[0], lattice_[1], lattice_[2], 1});
  }
  /// Returns the slice that comes next.
  int next() const noexcept { return next_; }

  void check_size(std::size_t given) const {
    const std::size_t needed = per_site_ * sites();
    if (given == needed) return;
    throw usage_error(text("a time slice of lattice ", extents_text(lattice_), " takes ", needed,
                           " entries, not ", given));
  }
  void check_place(int t) const {
    if (t >= 0 && t < lattice_[3]) return;
    throw usage_error(text("lattice ", extents_text(lattice_), " has time slices 0 to ",
                           lattice_[3] - 1, ", no slice ", t));
  }
  void take(std::size_t given) {
    check_size(given);
    if (next_ == lattice_[3]) {
      throw usage_error(text("lattice ", extents_text(lattice_), " has no more than ", lattice_[3],
                             " time slices"));
    }
    ++next_;
  }
  void check_complete() const {
    if (next_ == lattice_[3]) return;
    throw usage_error(text("lattice ", extents_text(lattice_), " has ", lattice_[3],
                           " time slices, but only ", next_, " were given"));
  }

 private:
  lattice_site lattice_;
  std::size_t per_site_;
  int next_ = 0;
};

}  // namespace onehop::io
