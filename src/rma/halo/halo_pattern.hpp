#pragma once
/// Which sites of which fields travel between which ranks.

#include <onehop/halo_exchange.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#include "rma/halo/site_box.hpp"

namespace onehop {

/// One field's share of what travels along one shift.
struct halo_part {
  site_box sent, ghosts;     ///< `ghosts` lies in the field's memory only where that is padded
  std::size_t received = 0;  ///< bytes; 0 where nothing comes
  std::size_t place = 0;     ///< where they arrive, in the window of every rank
};

/// What all ranks send by one shift of the grid, as +1 in x and 0 in the others: to the rank at
/// `steps`, from the rank at -steps.
struct halo_shift {
  coordinate steps{};
  int target = -1, origin = -1;  ///< ranks; -1 past an end that is not periodic
  std::size_t place = 0;         ///< of its first part
  std::vector<halo_part> parts;  ///< one for each field

  /// Bytes of its one put where it is packed, which arrive as they are here.
  std::size_t sent_bytes() const noexcept;
  std::size_t received_bytes() const noexcept;
};

/// A ghost layer that this rank fills itself: that of a periodic dimension with one rank.
struct halo_wrap {
  face which;
  std::size_t to = 0;  ///< offset of its first site
  site_box from;
};

struct halo_pattern {
  std::vector<halo_shift> shifts;  ///< the same on all ranks
  std::size_t bytes = 0;           ///< of the window that they arrive in
  /// Throws usage_error for no field, or for fields that do not belong together.
  halo_pattern(const std::vector<halo_memory*>& fields, bool corners);

  std::optional<std::size_t> find(const coordinate& steps) const noexcept;
};

/// The ghosts of a padded field that this rank fills itself, in the order in which they are filled;
/// with corners each dimension takes along what is filled before it.
std::vector<halo_wrap> wraps_of(const halo_memory& field, bool corners);

/// The shift that fills the ghosts of this face.
coordinate steps_into(face which) noexcept;

}  // namespace onehop
