#pragma once
/// Ranks on a grid of one to four dimensions, each with its block of a lattice.

#include <onehop/context.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace onehop {

/// Extents, coordinates of a site or a position in the grid: x, y, z, t. A dimension that is not
/// there has the extent 1 and the coordinate 0.
using coordinate = std::array<int, 4>;

/// "8x8x8x16"
std::string to_string(const coordinate& c);
/// Product of the four entries.
std::size_t volume(const coordinate& c) noexcept;

struct cartesian_options {
  /// Ranks in each dimension. Where it is empty, a grid with the smallest largest block is chosen,
  /// among these one with the smallest faces.
  std::vector<int> grid = {};
  /// Whether the last site of a dimension is the neighbour of the first; empty says of all that it
  /// is.
  std::vector<bool> periodic = {};
};

/// Divides a lattice among the ranks of a job, x fastest in sites and in ranks. An extent that the
/// grid does not divide gives its first ranks a site more than the others.
class cartesian {
 public:
  /// Throws usage_error, naming the values, unless there are 1 to 4 extents of at least 1, the grid
  /// has as many dimensions, ctx.size() ranks and no dimension of more ranks than sites.
  cartesian(const onehop::context& ctx, const std::vector<int>& extents,
            const cartesian_options& how = {});

  /// Two of them are equal when they are the same lattice on the same grid.
  bool operator==(const cartesian& other) const noexcept;

  const onehop::context& context() const noexcept { return ctx_; }
  int dimensions() const noexcept { return dimensions_; }
  /// Extents of the whole lattice.
  const coordinate& extents() const noexcept { return extents_; }
  const coordinate& grid() const noexcept { return grid_; }
  bool periodic(int mu) const noexcept { return periodic_[static_cast<std::size_t>(mu)]; }
  /// Extents of this rank's block.
  const coordinate& local() const noexcept { return local_; }
  /// This rank's position in the grid.
  const coordinate& position() const noexcept { return position_; }
  /// Coordinates of the block's first site in the whole lattice.
  const coordinate& origin() const noexcept { return origin_; }

  std::size_t local_volume() const noexcept { return onehop::volume(local_); }
  bool distributed(int mu) const noexcept { return grid_[static_cast<std::size_t>(mu)] > 1; }

  /// Rank at a grid position (taken periodically), x fastest.
  int rank_at(const coordinate& position) const noexcept;
  /// Rank at so many steps from this one in each dimension; -1 past an end that is not periodic.
  int neighbour(const coordinate& steps) const noexcept;
  /// Neighbour in dimension mu, `sign` +1 or -1; this rank itself where a periodic dimension has
  /// one rank.
  int neighbour(int mu, int sign) const noexcept;

  /// Collective. The group of the ranks whose positions differ from this rank's in these dimensions
  /// only, x fastest: along({0}) is the row of this rank, along({1, 2}) its plane at one x. Throws
  /// usage_error for a dimension that the lattice does not have or that is named twice, and as
  /// context::split.
  onehop::context along(const std::vector<int>& dimensions) const;

 private:
  onehop::context ctx_;
  int dimensions_;
  coordinate extents_{}, grid_{}, local_{}, position_{}, origin_{};
  std::array<bool, 4> periodic_{true, true, true, true};
};

}  // namespace onehop
