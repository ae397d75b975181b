#pragma once
/// Boxes of sites in a field's memory are packed, unpacked and copied run by run.

#include <onehop/halo_field.hpp>
#include <onehop/put.hpp>

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

/// The bytes of such a range.
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

}  // namespace onehop
