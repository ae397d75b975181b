#pragma once
/// A site_map says where a thread's site is, which its neighbours are, and the signs of its links.
/// It computes them, since a table would have to be read from memory too.

#include "device/inline.hpp"

#include <cstdint>

namespace onehop::device {

struct site_place {
  int at[4];
};

/// A neighbour_place is the index of a neighbour among the sites of the other parity, or its entry
/// in a ghost face.
struct neighbour_place {
  std::int32_t index;
  bool ghost;
};

/// A site_map is for a rank's block with even local x extent. Sites of each parity are numbered
/// with x fastest, as lane_layout of one lane numbers them.
///
/// Since x is even, the sites of a parity in a row of x are every second one, and the index of a
/// site is half its index in the block. The same holds for the entries of a face, whose fastest
/// coordinate must be even too: y where x is distributed.
struct site_map {
  std::int32_t extent[4];
  std::int32_t three_on[4];      ///< 3 modulo the extent
  std::int32_t face_entries[4];  ///< entries of a layer of the ghost face in this direction
  std::int32_t reach;         ///< layers of ghost faces, nearest first: 1, or 3 for hops by three
  std::uint32_t distributed;  ///< bit mu: neighbours off the block are on another rank
  std::int32_t parity_of_first;  ///< parity of the block's first site
  /// In `eta`, bit mu is set where the factor of link mu alternates with the coordinate of that
  /// direction (eta of staggered fermions); `eta_of_first` has bit mu where eta_mu is -1 at the
  /// block's first site.
  std::uint32_t eta, eta_of_first;
  /// At these local t the forward, and the backward, link carries the sign of the boundary; -1 for
  /// none.
  std::int32_t last_time, first_time;

  /// Returns the coordinates in the block of site `index` of a parity.
  ONEHOP_INLINE site_place place(std::int32_t index, std::int32_t parity) const {
    const std::int32_t half = extent[0] / 2;
    site_place c;
    std::int32_t row = index / half;
    const std::int32_t pair = index - row * half;
    c.at[1] = row % extent[1];
    row /= extent[1];
    c.at[2] = row % extent[2];
    c.at[3] = row / extent[2];
    c.at[0] = 2 * pair + ((c.at[1] + c.at[2] + c.at[3] + parity + parity_of_first) & 1);
    return c;
  }

  ONEHOP_INLINE std::int32_t index(const site_place& c) const {
    return (((c.at[3] * extent[2] + c.at[2]) * extent[1] + c.at[1]) * extent[0] + c.at[0]) / 2;
  }

  /// Returns the entry, within its layer, of the site beyond the surface in direction `mu`.
  ONEHOP_INLINE std::int32_t face_entry(const site_place& c, int mu) const {
    std::int32_t entry = 0;
    ONEHOP_UNROLL
    for (int nu = 3; nu >= 0; --nu) {
      if (nu != mu) entry = entry * extent[nu] + c.at[nu];
    }
    return entry / 2;
  }

  /// Returns how many sites lie between here and the surface in `direction` (0..3 forward, 4..7
  /// backward).
  ONEHOP_INLINE std::int32_t depth(const site_place& c, int direction) const {
    const int mu = direction % 4;
    return direction < 4 ? extent[mu] - 1 - c.at[mu] : c.at[mu];
  }
  /// Returns whether a hop of `distance` sites (1 or 3) ends on another rank.
  ONEHOP_INLINE bool leaves(const site_place& c, int direction, int distance = 1) const {
    return (distributed >> (direction % 4) & 1U) != 0 && depth(c, direction) < distance;
  }
  ONEHOP_INLINE bool leaves_anywhere(const site_place& c) const {
    bool any = false;
    ONEHOP_UNROLL
    for (int direction = 0; direction < 8; ++direction) {
      any = any || leaves(c, direction, reach);
    }
    return any;
  }

  ONEHOP_INLINE neighbour_place neighbour(const site_place& c, int direction,
                                          int distance = 1) const {
    const int mu = direction % 4;
    if (leaves(c, direction, distance)) {
      const std::int32_t layer = distance - 1 - depth(c, direction);
      return {layer * face_entries[mu] + face_entry(c, mu), true};
    }
    const std::int32_t step = distance == 1 ? 1 : three_on[mu];
    site_place there = c;
    if (direction < 4) {
      there.at[mu] += step < extent[mu] - c.at[mu] ? step : step - extent[mu];
    } else {
      there.at[mu] -= step <= c.at[mu] ? step : step - extent[mu];
    }
    return {index(there), false};
  }

  /// Returns the factor in front of the link from this site to the next in `direction`: boundary
  /// and eta.
  ONEHOP_INLINE float link_sign(const site_place& c, int direction) const {
    const int mu = direction % 4;
    std::uint32_t minus = eta_of_first >> mu & 1U;
    if ((eta >> mu & 1U) != 0) {
      ONEHOP_UNROLL
      for (int nu = 0; nu < 3; ++nu) minus += nu < mu ? static_cast<std::uint32_t>(c.at[nu]) : 0U;
    }
    if (mu == 3 && c.at[3] == (direction < 4 ? last_time : first_time)) ++minus;
    return (minus & 1U) != 0 ? -1.0F : 1.0F;
  }
};

}  // namespace onehop::device
