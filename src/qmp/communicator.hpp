#pragma once
/// This file declares the communicators of QMP and the grids of their nodes.

#include <vector>

#include "mpi/standard/mpi.h"
#include "qmp/call.hpp"

namespace onehop::qmp {

/// A grid is periodic; node numbers run fastest along the axis order[0].
struct grid {
  std::vector<int> extents, order;
  std::vector<int> here;  ///< coordinates of this node

  int dimensions() const noexcept { return static_cast<int>(extents.size()); }
  void coordinates(int node, int* to) const;
  int node(const int* coordinates) const;
};

}  // namespace onehop::qmp

struct QMP_comm_struct {
  MPI_Comm given = nullptr;  ///< what the program may use with MPI
  MPI_Comm own = nullptr;    ///< a communicator of these nodes for the library's messages
  int rank = 0, size = 1;
  int colors = 1, color = 0, key = 0;
  onehop::qmp::grid logical = {};   ///< it has no dimensions until it is declared
  bool belongs_to_library = false;  ///< the program may not free it
};

namespace onehop::qmp {

/// Returns the communicator; ends the job if it is null.
QMP_comm_struct& at(QMP_comm_t comm);
/// Ends the job unless the communicator has such a node.
void require_node(const QMP_comm_struct& comm, int node);
/// Returns the grid; ends the job unless one was declared.
const grid& declared_grid(const QMP_comm_struct& comm);

/// Fills in what MPI reports about a communicator that the program may use.
void adopt(QMP_comm_struct& made, MPI_Comm given);
/// Frees what adopt has created.
void release(QMP_comm_struct& comm);

}  // namespace onehop::qmp
