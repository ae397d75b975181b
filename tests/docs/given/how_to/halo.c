/* A program of MPI: in each step, messages along both axes of a periodic grid of ranks, and a sum.
 * Its arguments are the extents of the grid; without them MPI chooses. */
#include <mpi.h>
#include <stdlib.h>

enum { bytes = 4000, steps = 5 };
static char out[bytes], in[4][bytes];

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int size, extents[] = {0, 0};
  const int periodic[] = {1, 1};
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int axis = 0; axis < 2 && count > 2; ++axis) extents[axis] = atoi(words[1 + axis]);
  MPI_Dims_create(size, 2, extents);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 0, &grid);
  for (int step = 0; step < steps; ++step) {
    for (int axis = 0; axis < 2; ++axis) {
      int back, forward;
      MPI_Cart_shift(grid, axis, 1, &back, &forward);
      MPI_Sendrecv(out, bytes, MPI_CHAR, forward, 0, in[2 * axis], bytes, MPI_CHAR, back, 0, grid,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(out, bytes, MPI_CHAR, back, 1, in[2 * axis + 1], bytes, MPI_CHAR, forward, 1,
                   grid, MPI_STATUS_IGNORE);
    }
    double mine = step, sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
