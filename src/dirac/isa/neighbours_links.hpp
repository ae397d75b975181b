#pragma once
/// A hop reads these links at the neighbours of a site, where the hop in the other direction reads
/// them too, so that caches hold them only once.

#include "dirac/isa/simd.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// neighbours_links finds links of 18 reals that are stored at a vector's neighbours but serve the
/// vector too: the link ahead of one site is the link behind the other. Next to ghosts, the
/// vector's own links are used.
template <bool Ghosts>
class neighbours_links {
 public:
  ONEHOP_INLINE neighbours_links(const hop_job& job, std::ptrdiff_t vector)
      : theirs_(job.neighbours_links),
        own_(job.links.blocks_of(vector)),
        from_(job.neighbours + vector * 8) {}

  template <std::ptrdiff_t BlockBytes>
  ONEHOP_INLINE const std::byte* at(int turn) const {
    const int direction = direction_at[turn];
    const lane_neighbour& from = from_[direction];
    if (Ghosts && from.face >= 0) return own_ + turn * BlockBytes;
    return theirs_ + (std::ptrdiff_t{from.vector} * 8 + turn_of((direction + 4) % 8)) * BlockBytes;
  }

 private:
  const std::byte* theirs_;
  const std::byte* own_;
  const lane_neighbour* from_;
};

/// links_at_neighbours reads these links in the lanes of the neighbours.
template <class Reader, bool Ghosts>
class links_at_neighbours {
 public:
  struct opening {
    opening(const link_view&, double, bool) {}
  };
  static constexpr bool opened_first = false;
  static constexpr bool neighbours_lanes = true;

  ONEHOP_INLINE links_at_neighbours(const hop_job& job, opening, std::ptrdiff_t vector)
      : places_(job, vector) {}
  ONEHOP_INLINE Reader operator[](int d) const {
    return {places_.template at<Reader::block_bytes>(turn_of(d)), nullptr};
  }

 private:
  neighbours_links<Ghosts> places_;
};

}  // namespace
}  // namespace onehop
