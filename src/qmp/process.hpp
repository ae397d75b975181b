#pragma once
/// A process_state is what the library keeps between calls: whether QMP is initialised, its
/// communicators, and the geometry that the program requested.

#include <vector>

#include "qmp/communicator.hpp"

namespace onehop::qmp {

struct process_state {
  bool is_joined = false, has_left = false;
  bool began_mpi = false;  ///< MPI is finalized by whichever side initialized it
  QMP_comm_struct world{.rank = -1, .belongs_to_library = true};
  QMP_comm_t allocated = &world, job = &world, standard = &world;
  std::vector<int> geometry;     ///< allocated dimensions, if the program's arguments gave them
  std::vector<int> coordinates;  ///< coordinates of this node in them
  std::vector<int> subgrid;      ///< extents of a node's part of the lattice of QMP_layout_grid
  int verbosity = 0;
};

process_state& process() noexcept;
/// Returns the default communicator.
inline QMP_comm_t standard() noexcept { return process().standard; }

}  // namespace onehop::qmp

/// Defines a QMP function for the default communicator, using the one for any communicator.
#define ONEHOP_OF_DEFAULT(type, name, parameters, arguments) \
  type QMP_##name parameters {                               \
    const onehop::qmp::call here(__func__);                  \
    return QMP_comm_##name arguments;                        \
  }
