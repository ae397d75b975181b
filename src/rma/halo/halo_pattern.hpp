#pragma once
/// A halo_pattern says which sites of which fields travel between which ranks.

#include <cstddef>
#include <onehop/halo_exchange.hpp>
#include <onehop/halo_field.hpp>
#include <onehop/put.hpp>
#include <optional>
#include <vector>

#include "machine/streaming.hpp"
#include "rma/run_copy.hpp"

namespace onehop {

/// A site_range names sites of a field: the first one, and how many in each dimension.
struct site_range {
  coordinate first{}, count{};
  /// These dimensions count as not filled by the range, so that no run joins across them even where
  /// the sites happen to be contiguous: both ends of a put then see as many pieces, whatever the
  /// extents of their blocks.
  std::array<bool, 4> cut{};
};

/// A site_box has the bytes of such a range, which are packed, unpacked and copied run by run.
struct site_box {
  std::size_t begin = 0;  ///< offset of the first byte in the field
  strided_layout runs;

  std::size_t bytes() const noexcept { return runs.bytes(); }
  /// Two ranges that differ in their first site only have boxes that differ in `begin` only.
  site_box(const halo_memory& field, const site_range& sites);
  site_box() = default;
  /// Returns the views that puts need to read the box from the field.
  std::vector<local_view> views(const std::byte* field) const;
};

/// Calls visit(offset of the run in the field) in the order in which the runs travel.
template <class Visit>
void for_each_run(const site_box& box, const Visit& visit) {
  for_each_run(box.runs, [&](std::ptrdiff_t offset) {
    visit(static_cast<std::ptrdiff_t>(box.begin) + offset);
  });
}

/// Packs a box; `streaming` writes `to` with stores that bypass the caches.
inline void pack(std::byte* to, const std::byte* field, const site_box& box, bool streaming) {
  if (streaming && box.runs.run_bytes >= streaming_line_bytes)
    return for_each_run(box, [&](std::ptrdiff_t offset) {
      streaming_copy(to, field + offset, box.runs.run_bytes);
      to += box.runs.run_bytes;
    });
  with_copy_of(box.runs.run_bytes, [&](const auto& copy) {
    for_each_run(box, [&](std::ptrdiff_t offset) {
      copy(to, field + offset);
      to += box.runs.run_bytes;
    });
  });
}

inline void unpack(std::byte* field, const std::byte* from, const site_box& box) {
  with_copy_of(box.runs.run_bytes, [&](const auto& copy) {
    for_each_run(box, [&](std::ptrdiff_t offset) {
      copy(field + offset, from);
      from += box.runs.run_bytes;
    });
  });
}

/// Copies one box of a field to another of the same shape, which begins at `to`.
inline void copy_within(std::byte* field, std::size_t to, const site_box& box) {
  const auto shift = static_cast<std::ptrdiff_t>(to) - static_cast<std::ptrdiff_t>(box.begin);
  with_copy_of(box.runs.run_bytes, [&](const auto& copy) {
    for_each_run(box, [&](std::ptrdiff_t offset) { copy(field + offset + shift, field + offset); });
  });
}

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
