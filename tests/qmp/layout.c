/* The grid that a lattice is laid over: the one that is declared, else that of the words, else the
 * best. */
#include "check.h"

static void check_layout(const int* lattice, int axes, const int* grid) {
  CHECK(QMP_layout_grid(lattice, axes) == QMP_SUCCESS);
  int sites = 1;
  for (int axis = 0; axis < axes; ++axis) {
    const int part = lattice[axis] / grid[axis];
    CHECK(QMP_get_subgrid_dimensions()[axis] == part);
    sites *= part;
  }
  CHECK(QMP_get_number_of_subgrid_sites() == sites);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const char* what = argc > 1 ? argv[1] : "";
  CHECK(QMP_get_number_of_subgrid_sites() == 0);
  if (strcmp(what, "large") == 0) {
    QMP_layout_grid((int[4]){2048, 2048, 2048, 2048}, 4);
    QMP_get_number_of_subgrid_sites();
  }
  if (strcmp(what, "declared") == 0) {
    const int dims[2] = {nodes, 1};
    CHECK(QMP_declare_logical_topology(dims, 2) == QMP_SUCCESS);
  }
  const int lattice[3] = {8, 16, 2};
  const int any = strcmp(what, "") == 0;
  CHECK(any || QMP_layout_grid((int[2]){nodes + 1, 8}, 2) == QMP_INVALID_TOPOLOGY);
  CHECK(any || QMP_layout_grid(lattice, 1) == QMP_INVALID_TOPOLOGY);
  check_layout(lattice, 3, any ? (int[3]){1, nodes, 1} : (int[3]){nodes, 1, 1});
  CHECK(QMP_get_logical_dimensions()[0] == (any ? 1 : nodes));
  end();
  return 0;
}
