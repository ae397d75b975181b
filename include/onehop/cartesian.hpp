#pragma once
/// A cartesian places the ranks on a grid of one to four dimensions and gives each rank its block
/// of a lattice.

#include <onehop/context.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace onehop {

/// A coordinate holds extents, the coordinates of a site or a position in the grid, as x, y, z, t.
/// A missing dimension has extent 1 and coordinate 0.
using coordinate = std::array<int, 4>;

/// Returns the entries with an x between them, as in "8x8x8x16".
std::string to_string(const coordinate& c);
/// Returns the product of the four entries.
std::size_t volume(const coordinate& c) noexcept;

struct cartesian_options {
  /// This is the number of ranks in each dimension. If it is empty, cartesian considers the grids
  /// whose largest block is smallest, and chooses one of them with the smallest faces.
  std::vector<int> grid = {};
  /// An entry is true for a dimension whose last site is the neighbour of its first. An empty list
  /// makes every dimension periodic.
  std::vector<bool> periodic = {};
};

/// A cartesian divides a lattice among the ranks of a job, x fastest in sites and in ranks. If the
/// number of ranks in a dimension does not divide its extent, the first ranks get one site more
/// than the others.
class cartesian {
 public:
  /// Makes the grid. Throws usage_error, naming the values, unless there are 1 to 4 extents of at
  /// least 1, the grid has as many dimensions and ctx.size() ranks in all, and no dimension has
  /// more ranks than sites.
  cartesian(const onehop::context& ctx, const std::vector<int>& extents,
            const cartesian_options& how = {});

  /// Two cartesians are equal when they put the same lattice on the same grid.
  bool operator==(const cartesian& other) const noexcept;

  const onehop::context& context() const noexcept { return ctx_; }
  int dimensions() const noexcept { return dimensions_; }
  /// Returns the extents of the whole lattice.
  const coordinate& extents() const noexcept { return extents_; }
  const coordinate& grid() const noexcept { return grid_; }
  bool periodic(int mu) const noexcept { return periodic_[static_cast<std::size_t>(mu)]; }
  /// Returns the extents of this rank's block.
  const coordinate& local() const noexcept { return local_; }
  /// Returns this rank's position in the grid.
  const coordinate& position() const noexcept { return position_; }
  /// Returns the coordinates of the block's first site in the whole lattice.
  const coordinate& origin() const noexcept { return origin_; }

  std::size_t local_volume() const noexcept { return onehop::volume(local_); }
  bool distributed(int mu) const noexcept { return grid_[static_cast<std::size_t>(mu)] > 1; }

  /// Returns the rank at a position in the grid (taken periodically), x fastest.
  int rank_at(const coordinate& position) const noexcept;
  /// Returns the rank that lies `steps` away from this one in each dimension, or -1 beyond an end
  /// that is not periodic.
  int neighbour(const coordinate& steps) const noexcept;
  /// Returns the neighbour in dimension mu, towards `sign` +1 or -1: this rank itself if a periodic
  /// dimension has one rank, -1 beyond an end that is not periodic.
  int neighbour(int mu, int sign) const noexcept;

  /// Returns the group of the ranks whose positions differ from this rank's in these dimensions
  /// only, x fastest: along({0}) is this rank's row, along({1, 2}) its plane at one x. Collective.
  /// Throws usage_error for a dimension that the lattice does not have or that is named twice, and
  /// as context::split.
  onehop::context along(const std::vector<int>& dimensions) const;

 private:
  onehop::context ctx_;
  int dimensions_;
  coordinate extents_{}, grid_{}, local_{}, position_{}, origin_{};
  std::array<bool, 4> periodic_{true, true, true, true};
};

}  // namespace onehop
