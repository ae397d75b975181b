#pragma once
/// Boxes of sites in a field's memory, packed, unpacked and copied run by run.

#include <onehop/halo_field.hpp>
#include <onehop/put.hpp>

#include <vector>

#include "machine/streaming.hpp"
#include "rma/run_copy.hpp"

namespace onehop {

/// Sites of a field: the first one, and how many in each dimension.
struct site_range {
  coordinate first{}, count{};
  /// Dimensions that the range does not fill, so that nothing joins across them even where it
  /// happens to: both ends of a put then see as many pieces, whatever the extents of their blocks.
  std::array<bool, 4> cut{};
};

/// The bytes of such a range: up to three nested loops over runs that lie without gaps.
struct site_box {
  std::size_t begin = 0, run = 0;
  std::array<std::size_t, 3> count{1, 1, 1};
  std::array<std::ptrdiff_t, 3> stride{};

  std::size_t bytes() const noexcept { return run * count[0] * count[1] * count[2]; }
  /// Two ranges that differ in their first site only have boxes that differ in `begin` only.
  site_box(const halo_memory& field, const site_range& sites);
  site_box() = default;
  /// What a put needs to read the box where it lies.
  std::vector<local_view> views(const std::byte* field) const;
};

/// Calls visit(offset of the run in the field) in the order in which the runs travel.
template <class Visit>
void for_each_run(const site_box& box, const Visit& visit) {
  for (std::size_t c = 0; c < box.count[2]; ++c)
    for (std::size_t b = 0; b < box.count[1]; ++b)
      for (std::size_t a = 0; a < box.count[0]; ++a)
        visit(static_cast<std::ptrdiff_t>(box.begin) +
              static_cast<std::ptrdiff_t>(a) * box.stride[0] +
              static_cast<std::ptrdiff_t>(b) * box.stride[1] +
              static_cast<std::ptrdiff_t>(c) * box.stride[2]);
}

/// `streaming` says that `to` had better be written past the caches.
inline void pack(std::byte* to, const std::byte* field, const site_box& box, bool streaming) {
  if (streaming && box.run >= streaming_line_bytes)
    return for_each_run(box, [&](std::ptrdiff_t offset) {
      streaming_copy(to, field + offset, box.run);
      to += box.run;
    });
  with_copy_of(box.run, [&](const auto& copy) {
    for_each_run(box, [&](std::ptrdiff_t offset) {
      copy(to, field + offset);
      to += box.run;
    });
  });
}

inline void unpack(std::byte* field, const std::byte* from, const site_box& box) {
  with_copy_of(box.run, [&](const auto& copy) {
    for_each_run(box, [&](std::ptrdiff_t offset) {
      copy(field + offset, from);
      from += box.run;
    });
  });
}

/// Copies one box of a field to another of the same shape, which begins at `to`.
inline void copy_within(std::byte* field, std::size_t to, const site_box& box) {
  const auto shift = static_cast<std::ptrdiff_t>(to) - static_cast<std::ptrdiff_t>(box.begin);
  with_copy_of(box.run, [&](const auto& copy) {
    for_each_run(box, [&](std::ptrdiff_t offset) { copy(field + offset + shift, field + offset); });
  });
}

}  // namespace onehop
