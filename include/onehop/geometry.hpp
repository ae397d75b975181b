#pragma once
/// A geometry is the lattice and how a grid of ranks divides it.

#include <onehop/cartesian.hpp>

namespace onehop {

/// Splits `ranks` over the lattice so that the faces are smallest; ties go to t, then z, y, x.
/// Throws usage_error when no grid of that many ranks divides the lattice into blocks that are at
/// least `thinnest` sites thick where they were cut.
coordinate choose_grid(const coordinate& lattice, int ranks, int thinnest = 1);

/// A geometry is one rank's block of a periodic lattice of four dimensions; all blocks are alike.
/// Site (x,y,z,t) of the block has local index ((t*Lz + z)*Ly + y)*Lx + x. Even sites are those
/// with even global x+y+z+t.
class geometry : public cartesian {
 public:
  /// `grid` must have ctx.size() ranks and divide `lattice`; throws usage_error naming the values
  /// otherwise.
  geometry(const onehop::context& ctx, const coordinate& lattice, const coordinate& grid);
  geometry(const onehop::context& ctx, const coordinate& lattice)
      : geometry(ctx, lattice, choose_grid(lattice, ctx.size())) {}

  const coordinate& lattice() const noexcept { return extents(); }

  std::size_t volume() const noexcept { return onehop::volume(extents()); }

  std::size_t local_index(const coordinate& site) const noexcept;
  coordinate local_site(std::size_t index) const noexcept;
  /// Returns the global coordinate of a site of the block.
  coordinate global_site(const coordinate& site) const noexcept;
  /// Returns the global lexicographic index, x fastest: the order of every file format but
  /// openQCD's.
  std::size_t global_index(const coordinate& global) const noexcept;
  /// Returns 0 for an even site and 1 for an odd one, by the global coordinate.
  int parity(const coordinate& site) const noexcept;
};

}  // namespace onehop
