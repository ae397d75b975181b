#pragma once
/// A site_map says where a thread's site is, where its neighbours are, and which signs its links
/// have. It computes all this, since a table would have to be read from memory too.

#include "device/inline.hpp"

#include <cstdint>

namespace onehop::device {

struct site_place {
  int at[4];
  std::int32_t index;  ///< among the sites of its parity
};

/// A divisor divides integers below 2^31 by a number known before the kernel starts, with one
/// multiplication (Granlund and Montgomery, PLDI 1994), because devices have no division
/// instruction.
struct divisor {
  std::uint32_t multiplier;
  std::int32_t shift, number;

  static divisor of(std::int32_t number) {
    std::int32_t bits = 0;
    while ((std::int64_t{1} << bits) < number) ++bits;
    const std::uint64_t power = std::uint64_t{1} << (31 + bits);
    return {static_cast<std::uint32_t>(power / static_cast<std::uint64_t>(number) + 1), 31 + bits,
            number};
  }
  ONEHOP_INLINE std::int32_t quotient(std::int32_t of) const {
    return static_cast<std::int32_t>(
        (static_cast<std::uint64_t>(multiplier) * static_cast<std::uint32_t>(of)) >> shift);
  }
  /// Returns the remainder of `of` and sets `of` to the quotient.
  ONEHOP_INLINE std::int32_t take_remainder(std::int32_t& of) const {
    const std::int32_t whole = of;
    of = quotient(whole);
    return whole - of * number;
  }
};

/// A neighbour_place is the index of a neighbour among the sites of the other parity, or its entry
/// in a ghost face.
struct neighbour_place {
  std::int32_t index;
  bool ghost;
};

/// A site_map is for a rank's block with even local x extent. Sites of each parity are numbered
/// with x fastest, like the vectors of a lane_layout with one lane.
///
/// Since x is even, every second site in a row of x has a given parity, and the index of a site is
/// half its index in the block. The same holds for the entries of a face, whose fastest coordinate
/// must be even too: y if x is distributed.
struct site_map {
  std::int32_t extent[4];
  divisor half_x, extent_y, extent_z;  ///< by half the x extent, and by the extents of y and z
  std::int32_t step[4];          ///< index step within a parity to the next y, z, t row; 0 in x
  std::int32_t three_on[4];      ///< 3 modulo the extent
  std::int32_t face_entries[4];  ///< entries in one layer of the ghost face in this direction
  std::int32_t reach;            ///< ghost layers, nearest first: 1, or 3 for three-site hops
  std::uint32_t distributed;     ///< bit mu: neighbours off the block are on another rank
  std::int32_t parity_of_first;  ///< parity of the block's first site
  /// In `eta`, bit mu is set if the factor of link mu alternates with the coordinate of that
  /// direction (eta of staggered fermions); in `eta_of_first`, bit mu is set if eta_mu is -1 at the
  /// block's first site.
  std::uint32_t eta, eta_of_first;
  /// The forward link at last_time and the backward link at first_time (local t) carry the sign of
  /// the boundary; -1 for none.
  std::int32_t last_time, first_time;

  /// Returns the coordinates in the block of site `index` of a parity.
  ONEHOP_INLINE site_place place(std::int32_t index, std::int32_t parity) const {
    site_place c;
    c.index = index;
    std::int32_t rest = index;
    const std::int32_t pair = half_x.take_remainder(rest);
    c.at[1] = extent_y.take_remainder(rest);
    c.at[2] = extent_z.take_remainder(rest);
    c.at[3] = rest;
    c.at[0] = 2 * pair + ((c.at[1] + c.at[2] + c.at[3] + parity + parity_of_first) & 1);
    return c;
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

  /// Returns the number of sites between this site and the surface in `direction` (0..3 forward,
  /// 4..7 backward).
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
    const std::int32_t far = distance == 1 ? 1 : three_on[mu];
    std::int32_t way;
    if (direction < 4) {
      way = far < extent[mu] - c.at[mu] ? far : far - extent[mu];
    } else {
      way = far <= c.at[mu] ? -far : extent[mu] - far;
    }
    // Neighbours in x are in the same row, where every second site has this parity.
    return {mu == 0 ? c.index + ((c.at[0] + way) >> 1) - (c.at[0] >> 1) : c.index + way * step[mu],
            false};
  }

  /// Returns the factor of the link from this site to the next in `direction`: boundary and eta.
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
