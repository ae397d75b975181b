#pragma once
/// The lattice and how a grid of ranks divides it.

#include <onehop/context.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace onehop {

/// x, y, z, t: extents, site coordinates or positions in the process grid. Direction mu is 0..3.
using coordinate = std::array<int, 4>;

/// "8x8x8x16"
std::string to_string(const coordinate& c);
/// Product of the four entries.
std::size_t volume(const coordinate& c) noexcept;

/// Splits `ranks` over the lattice so that the faces are smallest; ties go to t, then z, y, x.
/// Throws usage_error when no grid of that many ranks divides the lattice into blocks that are at
/// least `thinnest` sites thick where they were cut.
coordinate choose_grid(const coordinate& lattice, int ranks, int thinnest = 1);

/// One rank's block of the lattice. Site (x,y,z,t) of the block has local index
/// ((t*Lz + z)*Ly + y)*Lx + x. Even sites are those with even global x+y+z+t.
class geometry {
 public:
  /// `grid` must have ctx.size() ranks and divide `lattice`; throws usage_error naming the values
  /// otherwise.
  geometry(const context& ctx, const coordinate& lattice, const coordinate& grid);
  geometry(const context& ctx, const coordinate& lattice)
      : geometry(ctx, lattice, choose_grid(lattice, ctx.size())) {}

  const onehop::context& context() const noexcept { return ctx_; }
  const coordinate& lattice() const noexcept { return lattice_; }
  const coordinate& grid() const noexcept { return grid_; }
  /// Extents of the block of each rank.
  const coordinate& local() const noexcept { return local_; }
  /// This rank's position in the grid.
  const coordinate& position() const noexcept { return position_; }
  /// Global coordinate of the block's first site.
  const coordinate& origin() const noexcept { return origin_; }

  std::size_t volume() const noexcept { return onehop::volume(lattice_); }
  std::size_t local_volume() const noexcept { return onehop::volume(local_); }

  /// Rank at a grid position (taken periodically), x fastest.
  int rank_at(const coordinate& position) const noexcept;
  /// Neighbour in direction mu, `sign` +1 or -1; this rank itself where the grid has one rank.
  int neighbour(int mu, int sign) const noexcept;
  bool distributed(int mu) const noexcept { return grid_[mu] > 1; }

  std::size_t local_index(const coordinate& site) const noexcept;
  coordinate local_site(std::size_t index) const noexcept;
  /// Global coordinate of a site of the block.
  coordinate global_site(const coordinate& site) const noexcept;
  /// Global lexicographic index, x fastest: the order of every file format but openQCD's.
  std::size_t global_index(const coordinate& global) const noexcept;
  /// 0 even, 1 odd, by the global coordinate.
  int parity(const coordinate& site) const noexcept;

 private:
  onehop::context ctx_;
  coordinate lattice_, grid_, local_, position_, origin_;
};

}  // namespace onehop
