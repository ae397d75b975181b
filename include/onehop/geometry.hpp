#pragma once
/// A geometry describes the lattice and how a grid of ranks divides it.

#include <onehop/cartesian.hpp>

namespace onehop {

/// Returns the grid of `ranks` ranks that divides the lattice with the smallest faces; ties go to
/// t, then z, y, x. Throws usage_error if no grid of that many ranks divides the lattice into
/// blocks that are at least `thinnest` sites thick in the dimensions that were cut.
coordinate choose_grid(const coordinate& lattice, int ranks, int thinnest = 1);

/// A geometry is one rank's block of a periodic four-dimensional lattice; all blocks have the same
/// shape. Site (x,y,z,t) of the block has local index ((t*Lz + z)*Ly + y)*Lx + x. Even sites are
/// those with even global x+y+z+t.
class geometry : public cartesian {
 public:
  /// Makes a geometry. Throws usage_error, naming the values, unless `grid` has ctx.size() ranks
  /// and divides `lattice`.
  geometry(const onehop::context& ctx, const coordinate& lattice, const coordinate& grid);
  geometry(const onehop::context& ctx, const coordinate& lattice)
      : geometry(ctx, lattice, choose_grid(lattice, ctx.size())) {}

  const coordinate& lattice() const noexcept { return extents(); }

  std::size_t volume() const noexcept { return onehop::volume(extents()); }

  std::size_t local_index(const coordinate& site) const noexcept;
  coordinate local_site(std::size_t index) const noexcept;
  /// Returns the global coordinate of a site of the block.
  coordinate global_site(const coordinate& site) const noexcept;
  /// Returns the global lexicographic index, x fastest. This is the order of every file format
  /// except openQCD's.
  std::size_t global_index(const coordinate& global) const noexcept;
  /// Returns 0 for an even site and 1 for an odd one, according to the global coordinate.
  int parity(const coordinate& site) const noexcept;
};

}  // namespace onehop
