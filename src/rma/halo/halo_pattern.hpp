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

/// A site_range names sites of a field by the first site and the number of sites in each dimension.
struct site_range {
  coordinate first{}, count{};
  /// In these dimensions the range counts as incomplete, so that no run joins across them even if
  /// the sites are contiguous. Both ends of a put then see the same number of pieces, whatever the
  /// extents of their blocks.
  std::array<bool, 4> cut{};
};

/// A site_box describes the bytes of a site_range, which are packed, unpacked and copied run by
/// run.
struct site_box {
  std::size_t begin = 0;  ///< offset of the first byte in the field
  strided_layout runs;

  std::size_t bytes() const noexcept { return runs.bytes(); }
  /// If two ranges differ only in their first site, their boxes differ only in `begin`.
  site_box(const halo_memory& field, const site_range& sites);
  site_box() = default;
  /// Returns the views that puts need in order to read the box from the field.
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
  std::size_t received = 0;  ///< bytes that arrive; 0 if nothing comes
  std::size_t place = 0;     ///< offset where they arrive, in the window of every rank
};

/// A halo_shift is what all ranks send along one shift of the grid, such as +1 in x and 0 in the
/// others. Each rank sends to the rank at `steps` and receives from the rank at -steps.
struct halo_shift {
  coordinate steps{};
  int target = -1, origin = -1;  ///< ranks; -1 past an end that is not periodic
  std::size_t place = 0;         ///< offset of its first part in the window
  std::vector<halo_part> parts;  ///< the share of each field

  /// These are the bytes of its single put if the shift is packed, and the bytes that arrive here.
  std::size_t sent_bytes() const noexcept;
  std::size_t received_bytes() const noexcept;
};

/// A halo_wrap is a ghost layer, in a periodic dimension with one rank, that this rank fills
/// itself.
struct halo_wrap {
  face which;
  std::size_t to = 0;  ///< offset of its first site
  site_box from;
};

struct halo_pattern {
  std::vector<halo_shift> shifts;  ///< shifts, equal on all ranks
  std::size_t bytes = 0;           ///< bytes of the window in which they arrive
  /// The constructor throws usage_error if there is no field, or if the fields do not belong
  /// together.
  halo_pattern(const std::vector<halo_memory*>& fields, bool corners);

  std::optional<std::size_t> find(const coordinate& steps) const noexcept;
};

/// Returns the ghost layers of a padded field that this rank fills itself, in the order of filling.
/// With corners, each dimension includes the ghosts that were filled before it.
std::vector<halo_wrap> wraps_of(const halo_memory& field, bool corners);

/// Returns the shift that fills the ghosts of this face.
coordinate steps_into(face which) noexcept;

}  // namespace onehop
