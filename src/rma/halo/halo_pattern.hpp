#pragma once
/// A halo_pattern says which sites of which fields travel between which ranks.

#include <onehop/halo_exchange.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#include "rma/halo/site_box.hpp"

namespace onehop {

/// A halo_part is one field's share of what travels along one shift.
struct halo_part {
  site_box sent, ghosts;     ///< sites that travel; `ghosts` lies in the field's memory only where
                             ///< that is padded
  std::size_t received = 0;  ///< bytes that arrive; 0 where nothing comes
  std::size_t place = 0;     ///< offset where they arrive, in the window of every rank
};

/// A halo_shift is what all ranks send by one shift of the grid, as +1 in x and 0 in the others: to
/// the rank at `steps`, from the rank at -steps.
struct halo_shift {
  coordinate steps{};
  int target = -1, origin = -1;  ///< ranks; -1 past an end that is not periodic
  std::size_t place = 0;         ///< offset of its first part in the window
  std::vector<halo_part> parts;  ///< the share of each field

  /// These are the bytes of its one put where it is packed, and of what arrives by it here.
  std::size_t sent_bytes() const noexcept;
  std::size_t received_bytes() const noexcept;
};

/// A halo_wrap is a ghost layer that this rank fills itself, of a periodic dimension with one rank.
struct halo_wrap {
  face which;
  std::size_t to = 0;  ///< offset of its first site
  site_box from;
};

struct halo_pattern {
  std::vector<halo_shift> shifts;  ///< shifts, equal on all ranks
  std::size_t bytes = 0;           ///< bytes of the window that they arrive in
  /// The constructor throws usage_error for no field, or for fields that do not belong together.
  halo_pattern(const std::vector<halo_memory*>& fields, bool corners);

  std::optional<std::size_t> find(const coordinate& steps) const noexcept;
};

/// Returns the ghost layers of a padded field that this rank fills itself, in the order in which
/// they are filled; with corners each dimension includes the ghosts that were filled before it.
std::vector<halo_wrap> wraps_of(const halo_memory& field, bool corners);

/// Returns the shift that fills the ghosts of this face.
coordinate steps_into(face which) noexcept;

}  // namespace onehop
