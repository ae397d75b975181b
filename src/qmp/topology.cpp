// This file sets up the logical grid of the nodes.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>

#include "base/text.hpp"
#include "qmp/process.hpp"

namespace onehop::qmp {

void grid::coordinates(int node, int* to) const {
  for (const int axis : order) {
    const int extent = extents[static_cast<std::size_t>(axis)];
    to[axis] = node % extent;
    node /= extent;
  }
}

int grid::node(const int* coordinates) const {
  int found = 0, stride = 1;
  for (const int axis : order) {
    const int extent = extents[static_cast<std::size_t>(axis)];
    found += ((coordinates[axis] % extent + extent) % extent) * stride;
    stride *= extent;
  }
  return found;
}

const grid& declared_grid(const QMP_comm_struct& comm) {
  if (comm.logical.extents.empty())
    fail("no grid is declared: call QMP_declare_logical_topology before");
  return comm.logical;
}

namespace {

std::vector<int> checked_order(int dimensions, const int* map, int map_size) {
  std::vector<int> order(static_cast<std::size_t>(dimensions));
  std::iota(order.begin(), order.end(), 0);
  if (map_size == 0) return order;
  require(map, "the map");
  if (map_size != dimensions || !std::is_permutation(map, map + map_size, order.begin()))
    fail(text("the map has not each axis of ", dimensions, " once"));
  return {map, map + map_size};
}

QMP_status_t declare(QMP_comm_struct& comm, const int* extents, int dimensions, const int* map,
                     int map_size) {
  if (dimensions < 1) fail(text("the grid has ", dimensions, " dimensions: give 1 or more"));
  require(extents, "the list of dimensions");
  std::int64_t nodes = 1;
  for (const int extent : std::span(extents, static_cast<std::size_t>(dimensions))) {
    if (extent < 1) fail(text("an extent of the grid is ", extent));
    nodes = std::min<std::int64_t>(nodes * extent, INT32_MAX);
  }
  if (nodes != comm.size)
    fail(text("the grid has ", nodes, " nodes and the communicator ", comm.size));
  grid made{{extents, extents + dimensions}, checked_order(dimensions, map, map_size), {}};
  if (!comm.logical.extents.empty())
    return made.extents == comm.logical.extents && made.order == comm.logical.order
               ? QMP_SUCCESS
               : QMP_TOPOLOGY_EXISTS;
  made.here.resize(static_cast<std::size_t>(dimensions));
  made.coordinates(comm.rank, made.here.data());
  comm.logical = std::move(made);
  return QMP_SUCCESS;
}

/// Finds the grid that divides a lattice evenly and gives each node's part the smallest surface.
class layout_search {
 public:
  layout_search(std::span<const int> lattice, int nodes)
      : lattice_(lattice), grid_(lattice.size(), 1) {
    divide(0, nodes);
  }
  const std::optional<std::vector<int>>& best() const noexcept { return best_; }

 private:
  void divide(std::size_t axis, int left) {
    if (axis == lattice_.size()) {
      if (left == 1) compare();
      return;
    }
    for (int extent = 1; extent <= left; ++extent)
      if (left % extent == 0 && lattice_[axis] % extent == 0) {
        grid_[axis] = extent;
        divide(axis + 1, left / extent);
      }
  }

  void compare() {
    // A node has equally many sites in every grid, so the size of its faces is proportional to this
    // sum.
    double surface = 0;
    for (std::size_t axis = 0; axis < lattice_.size(); ++axis)
      if (grid_[axis] > 1) surface += static_cast<double>(grid_[axis]) / lattice_[axis];
    if (best_ && surface >= least_) return;
    best_ = grid_;
    least_ = surface;
  }

  std::span<const int> lattice_;
  std::vector<int> grid_;
  std::optional<std::vector<int>> best_;
  double least_ = 0;
};

/// Returns the grid for a lattice: the declared one or the one given by the program's arguments,
/// filled up with ones; otherwise the best. Returns nothing if that grid does not divide the
/// lattice evenly.
std::optional<std::vector<int>> grid_for(std::span<const int> lattice) {
  const QMP_comm_struct& comm = *standard();
  std::vector<int> known = comm.logical.extents;
  if (known.empty() && &comm == &process().world) known = process().geometry;
  if (known.empty()) return layout_search(lattice, comm.size).best();
  if (known.size() > lattice.size()) return std::nullopt;
  known.resize(lattice.size(), 1);
  for (std::size_t axis = 0; axis < lattice.size(); ++axis)
    if (lattice[axis] % known[axis] != 0) return std::nullopt;
  return known;
}

}  // namespace
}  // namespace onehop::qmp

using namespace onehop::qmp;

extern "C" {

QMP_status_t QMP_comm_declare_logical_topology_map(QMP_comm_t comm, const int dims[], int ndim,
                                                   const int map[], int mapdim) {
  const call here("QMP_comm_declare_logical_topology_map");
  return declare(at(comm), dims, ndim, map, mapdim);
}
QMP_status_t QMP_comm_declare_logical_topology(QMP_comm_t comm, const int dims[], int ndim) {
  const call here("QMP_comm_declare_logical_topology");
  return declare(at(comm), dims, ndim, nullptr, 0);
}
ONEHOP_OF_DEFAULT(QMP_status_t, declare_logical_topology_map,
                  (const int dims[], int ndim, const int map[], int mapdim),
                  (standard(), dims, ndim, map, mapdim))
ONEHOP_OF_DEFAULT(QMP_status_t, declare_logical_topology, (const int dims[], int ndim),
                  (standard(), dims, ndim))

QMP_bool_t QMP_comm_logical_topology_is_declared(QMP_comm_t comm) {
  const call here("QMP_comm_logical_topology_is_declared");
  return at(comm).logical.extents.empty() ? QMP_FALSE : QMP_TRUE;
}
ONEHOP_OF_DEFAULT(QMP_bool_t, logical_topology_is_declared, (void), (standard()))

int QMP_comm_get_logical_number_of_dimensions(QMP_comm_t comm) {
  const call here("QMP_comm_get_logical_number_of_dimensions");
  return declared_grid(at(comm)).dimensions();
}
ONEHOP_OF_DEFAULT(int, get_logical_number_of_dimensions, (void), (standard()))
const int* QMP_comm_get_logical_dimensions(QMP_comm_t comm) {
  const call here("QMP_comm_get_logical_dimensions");
  return declared_grid(at(comm)).extents.data();
}
ONEHOP_OF_DEFAULT(const int*, get_logical_dimensions, (void), (standard()))
const int* QMP_comm_get_logical_coordinates(QMP_comm_t comm) {
  const call here("QMP_comm_get_logical_coordinates");
  return declared_grid(at(comm)).here.data();
}
ONEHOP_OF_DEFAULT(const int*, get_logical_coordinates, (void), (standard()))

void QMP_comm_get_logical_coordinates_from2(QMP_comm_t comm, int coords[], int node) {
  const call here("QMP_comm_get_logical_coordinates_from2");
  require(coords, "where the coordinates are to be given");
  require_node(at(comm), node);
  declared_grid(*comm).coordinates(node, coords);
}
ONEHOP_OF_DEFAULT(void, get_logical_coordinates_from2, (int coords[], int node),
                  (standard(), coords, node))
int* QMP_comm_get_logical_coordinates_from(QMP_comm_t comm, int node) {
  const call here("QMP_comm_get_logical_coordinates_from");
  const grid& of = declared_grid(at(comm));
  auto* const made = static_cast<int*>(std::malloc(sizeof(int) * of.extents.size()));
  if (made == nullptr) fail("there is no memory left");
  QMP_comm_get_logical_coordinates_from2(comm, made, node);
  return made;
}
ONEHOP_OF_DEFAULT(int*, get_logical_coordinates_from, (int node), (standard(), node))
int QMP_comm_get_node_number_from(QMP_comm_t comm, const int coordinates[]) {
  const call here("QMP_comm_get_node_number_from");
  require(coordinates, "the list of coordinates");
  return declared_grid(at(comm)).node(coordinates);
}
ONEHOP_OF_DEFAULT(int, get_node_number_from, (const int coordinates[]), (standard(), coordinates))

QMP_status_t QMP_layout_grid(const int dimensions[], int ndims) {
  const call here("QMP_layout_grid");
  if (ndims < 1) fail(onehop::text("the lattice has ", ndims, " dimensions: give 1 or more"));
  require(dimensions, "the list of dimensions");
  const std::span<const int> lattice(dimensions, static_cast<std::size_t>(ndims));
  for (const int extent : lattice)
    if (extent < 1) fail(onehop::text("an extent of the lattice is ", extent));
  const auto grid = grid_for(lattice);
  if (!grid) return QMP_INVALID_TOPOLOGY;
  if (standard()->logical.extents.empty()) declare(*standard(), grid->data(), ndims, nullptr, 0);
  process().subgrid.assign(lattice.begin(), lattice.end());
  for (std::size_t axis = 0; axis < lattice.size(); ++axis)
    process().subgrid[axis] /= (*grid)[axis];
  return QMP_SUCCESS;
}
const int* QMP_get_subgrid_dimensions(void) {
  return process().subgrid.empty() ? nullptr : process().subgrid.data();
}
int QMP_get_number_of_subgrid_sites(void) {
  const std::vector<int>& part = process().subgrid;
  if (part.empty()) return 0;
  const call here("QMP_get_number_of_subgrid_sites");
  std::int64_t sites = 1;
  for (const int extent : part)
    if ((sites *= extent) > INT32_MAX) fail("a node has more sites than an int can count");
  return static_cast<int>(sites);
}
}
