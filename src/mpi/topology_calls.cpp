// The functions of the ABI for Cartesian topologies.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "base/text.hpp"
#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"
#include "mpi/split.hpp"

namespace onehop::mpi_abi {
namespace {

const cartesian_topology& grid_of(MPI_Comm handle) {
  const communicator_ptr& comm = communicator_of(handle);
  if (!comm->topology) throw mpi_error(err_topology, "the communicator has no Cartesian topology");
  return *comm->topology;
}

/// Returns the product of positive numbers, or more than any number of ranks if it is too large.
std::int64_t product(std::span<const int> factors) {
  std::int64_t all = 1;
  for (const int factor : factors)
    if (__builtin_mul_overflow(all, factor, &all)) return std::numeric_limits<std::int64_t>::max();
  return all;
}

cartesian_topology checked_grid(int dimensions, const int* extents, const int* periodic) {
  if (dimensions < 0) throw mpi_error(err_dims, text("the number of dimensions is ", dimensions));
  cartesian_topology grid;
  for (int d = 0; d < dimensions; ++d) {
    if (extents[d] < 1) throw mpi_error(err_dims, text("extent ", d, " is ", extents[d]));
    grid.extents.push_back(extents[d]);
    grid.periodic.push_back(periodic[d] != 0);
  }
  return grid;
}

MPI_Comm with_grid(const communicator_ptr& parent, const split_choice& mine,
                   const cartesian_topology& grid) {
  const MPI_Comm made = split(parent, mine);
  if (number_of(made) != comm_null) communicator_of(made)->topology = grid;
  return made;
}

MPI_Comm make_grid(MPI_Comm handle, const cartesian_topology& grid) {
  const communicator_ptr& comm = one_group_of(handle);
  const std::int64_t ranks = product(grid.extents);
  if (ranks > comm->size())
    throw mpi_error(err_dims, text("a grid of ", counted(ranks, "rank"),
                                   " does not fit a communicator of ", comm->size()));
  return with_grid(comm, {comm->rank() < ranks ? 0 : undefined, 0}, grid);
}

/// Ranks stay together if they differ only in the dimensions that remain.
MPI_Comm sub_grid(MPI_Comm handle, const int* remains) {
  const cartesian_topology& grid = grid_of(handle);
  require_list(remains, grid.dimensions());
  const std::vector<int> at = grid.coordinates(communicator_of(handle)->rank());
  cartesian_topology part;
  int color = 0, key = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    int& number = remains[d] != 0 ? key : color;
    number = number * grid.extents[d] + at[d];
    if (remains[d] == 0) continue;
    part.extents.push_back(grid.extents[d]);
    part.periodic.push_back(grid.periodic[d]);
  }
  return with_grid(communicator_of(handle), {color, key}, part);
}

/// Returns the divisors of a number in decreasing order.
std::vector<int> divisors_of(int number) {
  std::vector<int> small, all;
  for (int factor = 1; factor <= number / factor; ++factor)
    if (number % factor == 0) small.push_back(factor);
  for (const int factor : small)
    if (factor != number / factor) all.push_back(number / factor);
  all.insert(all.end(), small.rbegin(), small.rend());
  return all;
}

/// A balanced_factors search writes a number as a product of factors that are as close to each
/// other as possible. Among equally close products it finds the one with the largest smallest
/// factors.
class balanced_factors {
 public:
  balanced_factors(int number, std::size_t count) : divisors_(divisors_of(number)) {
    go(number, count);
  }
  /// Returns the factors in increasing order.
  const std::vector<int>& found() const noexcept { return best_; }

 private:
  static int spread(const std::vector<int>& factors) { return factors.back() - factors.front(); }

  /// Appends `left` factors in increasing order whose product is `number`. The first of them is
  /// tried in decreasing order: as it falls, the largest factor can only rise.
  void go(int number, std::size_t left) {
    if (left == 1) {
      factors_.push_back(number);
      if (best_.empty() || spread(factors_) < spread(best_)) best_ = factors_;
      factors_.pop_back();
      return;
    }
    const double most = root(number, left) + rounding;
    for (const int factor : divisors_) {
      if (factor > most || number % factor != 0) continue;
      if (!factors_.empty() && factor < factors_.back()) return;
      factors_.push_back(factor);
      const double largest = std::ceil(root(number / factor, left - 1) - rounding);
      if (!best_.empty() && largest - factors_.front() >= spread(best_)) {
        factors_.pop_back();
        return;
      }
      go(number / factor, left - 1);
      factors_.pop_back();
    }
  }

  /// Computed roots of whole numbers are wrong by less than this.
  static constexpr double rounding = 1e-6;
  static double root(int number, std::size_t degree) {
    return std::pow(number, 1. / static_cast<double>(degree));
  }

  std::vector<int> divisors_, factors_, best_;
};

void choose_extents(int ranks, std::span<int> extents) {
  std::vector<int> fixed_extents;
  for (const int extent : extents) {
    if (extent < 0) throw mpi_error(err_dims, text("an extent is ", extent));
    if (extent > 0) fixed_extents.push_back(extent);
  }
  const std::int64_t given = product(fixed_extents);
  const std::size_t open = extents.size() - fixed_extents.size();
  if (ranks < 1 || ranks % given != 0 || (open == 0 && given != ranks))
    throw mpi_error(err_dims,
                    text(ranks, " ranks are no multiple of the given extents' product, ", given));
  if (open == 0) return;
  const balanced_factors best(static_cast<int>(ranks / given), open);
  auto next = best.found().rbegin();
  for (int& extent : extents)
    if (extent == 0) extent = *next++;
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Dims_create(int ranks, int dimensions, int* extents) {
  return guarded({__func__, list_of{extents, dimensions}}, [&] {
    choose_extents(ranks, {extents, static_cast<std::size_t>(std::max(dimensions, 0))});
  });
}

int MPI_Cart_create(MPI_Comm handle, int dimensions, const int* extents, const int* periodic, int,
                    MPI_Comm* made) {
  return guarded(handle,
                 {__func__, list_of{extents, dimensions}, list_of{periodic, dimensions}, made},
                 [&] { *made = make_grid(handle, checked_grid(dimensions, extents, periodic)); });
}

int MPI_Cart_sub(MPI_Comm handle, const int* remains, MPI_Comm* made) {
  return guarded(handle, {__func__, made}, [&] { *made = sub_grid(handle, remains); });
}

int MPI_Cartdim_get(MPI_Comm handle, int* dimensions) {
  return guarded(handle, {__func__, dimensions},
                 [&] { *dimensions = grid_of(handle).dimensions(); });
}

int MPI_Cart_get(MPI_Comm handle, int most, int* extents, int* periodic, int* coordinates) {
  return guarded(
      handle,
      {__func__, list_of{extents, most}, list_of{periodic, most}, list_of{coordinates, most}}, [&] {
        const cartesian_topology& grid = grid_of(handle);
        const std::vector<int> at = grid.coordinates(communicator_of(handle)->rank());
        for (std::size_t d = 0; d < at.size() && static_cast<int>(d) < most; ++d) {
          extents[d] = grid.extents[d];
          periodic[d] = static_cast<int>(grid.periodic[d]);
          coordinates[d] = at[d];
        }
      });
}

int MPI_Cart_rank(MPI_Comm handle, const int* coordinates, int* rank) {
  return guarded(handle, {__func__, rank}, [&] {
    const cartesian_topology& grid = grid_of(handle);
    require_list(coordinates, grid.dimensions());
    *rank = grid.rank({coordinates, coordinates + grid.dimensions()});
    if (*rank == proc_null) throw mpi_error(err_arg, "the coordinates are outside of the grid");
  });
}

int MPI_Cart_coords(MPI_Comm handle, int rank, int most, int* coordinates) {
  return guarded(handle, {__func__, list_of{coordinates, most}}, [&] {
    require_rank(*communicator_of(handle), rank);
    const std::vector<int> at = grid_of(handle).coordinates(rank);
    std::copy_n(at.begin(), std::min<std::ptrdiff_t>(most, std::ssize(at)), coordinates);
  });
}

int MPI_Cart_shift(MPI_Comm handle, int direction, int steps, int* from, int* to) {
  return guarded(handle, {__func__, from, to}, [&] {
    const cartesian_topology& grid = grid_of(handle);
    if (direction < 0 || direction >= grid.dimensions())
      throw mpi_error(err_dims, onehop::text("the grid has no direction ", direction));
    std::vector<int> at = grid.coordinates(communicator_of(handle)->rank());
    int& moved = at[static_cast<std::size_t>(direction)];
    moved += steps;
    *to = grid.rank(at);
    moved -= 2 * steps;
    *from = grid.rank(at);
  });
}

int MPI_Cart_map(MPI_Comm handle, int dimensions, const int* extents, const int* periodic,
                 int* rank) {
  return guarded(
      handle, {__func__, list_of{extents, dimensions}, list_of{periodic, dimensions}, rank}, [&] {
        const std::int64_t ranks = product(checked_grid(dimensions, extents, periodic).extents);
        const int mine = communicator_of(handle)->rank();
        *rank = mine < ranks ? mine : undefined;
      });
}

int MPI_Topo_test(MPI_Comm handle, int* kind) {
  return guarded(handle, {__func__, kind}, [&] {
    const communicator& comm = *communicator_of(handle);
    *kind = comm.topology                           ? topology_cartesian
            : comm.graph && comm.graph->distributed ? topology_distributed_graph
            : comm.graph                            ? topology_graph
                                                    : undefined;
  });
}
}
